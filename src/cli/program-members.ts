import type { Command } from "commander";
import type { MemberReaddOptions } from "./commands/member-readd.js";
import type { GlobalOptions } from "./global-options.js";
import type { Io } from "./io.js";

/** The commands that are about etcd itself, as `createProgram` adds them. */
export function addMemberCommands(program: Command, io: Io, done: (exitCode: number) => void): void {
  addMembers(program, io, done);
  addSnapshot(program, io, done);
  addMemberReadd(program, io, done);
}

function addMembers(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command("members")
    .description("Shows etcd's members, their health and the quorum: exit code 0 when all is well, else 6.")
    .addHelpText(
      "after",
      "\nExamples:\n  etcdcidr members\n  etcdcidr members --endpoints 10.0.0.1,10.0.0.2 -o json",
    )
    .action(async (_options: unknown, command: Command) => {
      const { showMembers } = await import("./commands/members.js");
      done(await showMembers(command.optsWithGlobals<GlobalOptions>(), io));
    });
}

function addSnapshot(program: Command, io: Io, done: (exitCode: number) => void): void {
  const snapshot = program
    .command("snapshot")
    .description("Saves a backup of etcd, or proves one whole.")
    .helpCommand(false)
    .action((_options: unknown, command: Command) => command.error("save or status is expected"))
    .addHelpText(
      "after",
      "\nExamples:\n  etcdcidr snapshot save etcd.snapshot\n  etcdcidr snapshot status etcd.snapshot",
    );
  snapshot
    .command("save")
    .argument("<file>", "a new file")
    .description("Saves a snapshot of etcd: whole by its SHA-256, on disk, or not at all.")
    .addHelpText(
      "after",
      "\nExamples:\n  etcdcidr snapshot save etcd.snapshot\n  etcdcidr snapshot save /backup/etcd.snapshot --endpoints 10.0.0.2",
    )
    .action(async (file: string, _options: unknown, command: Command) => {
      const { snapshotSave } = await import("./commands/snapshot.js");
      done(await snapshotSave(file, command.optsWithGlobals<GlobalOptions>(), io));
    });
  snapshot
    .command("status")
    .argument("<file>", "file that `snapshot save`, or etcdctl's, has written")
    .description("Proves a snapshot by its checksum and says its size and revision.")
    .addHelpText(
      "after",
      "\nExamples:\n  etcdcidr snapshot status etcd.snapshot\n  etcdcidr snapshot status etcd.snapshot -o json",
    )
    .action(async (file: string, _options: unknown, command: Command) => {
      const { snapshotStatus } = await import("./commands/snapshot.js");
      done(await snapshotStatus(file, command.optsWithGlobals<GlobalOptions>(), io));
    });
}

function addMemberReadd(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command("member-readd")
    .description(
      "Brings a lost member of etcd back, on its own host: removes its stale entry, moves old data aside,\n" +
        "adds it as a learner, starts it by its manifest or unit (or prints what it has to be started with),\n" +
        "waits for it and promotes it.\n" +
        "Run again after an interruption, it goes on from what it sees.",
    )
    .option("--name <name>", "the member's name, etcd's --name")
    .option("--peer-url <url>", "its peer URL, etcd's --initial-advertise-peer-urls")
    .option("--data-dir <directory>", "etcd's --data-dir on this host")
    .option("--wal-dir <directory>", "etcd's --wal-dir, where it has one")
    .option(
      "--manifest <file>",
      "etcd's static-pod manifest, where --name, --peer-url and --data-dir are not given;\n" +
        "/etc/kubernetes/manifests/etcd.yaml",
    )
    .option(
      "--manifest-from <file>",
      "a copy of a peer's, to make a manifest of where there is none, with --name and --peer-url",
    )
    .option(
      "--unit <name>",
      "etcd's systemd unit with its environment file; etcd, where there is no manifest",
    )
    .option("--promote-timeout <duration>", "for etcd to be started, and to catch up; 10m")
    .option("--print-env", "stdout carries the four ETCD_* lines alone", false)
    .option("--snapshot <file>", "where the snapshot before the first change goes; beside the journals", true)
    .option("--no-snapshot", "take none")
    .option("--dry-run", "show the state and the steps, and end: exit code 0, or 3 when it is refused", false)
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  etcdcidr member-readd --endpoints https://10.0.0.1:2379,https://10.0.0.2:2379 --dry-run\n" +
        "  etcdcidr member-readd --name kube-3 --peer-url https://10.0.0.3:2380 --data-dir /var/lib/etcd --print-env --yes",
    )
    .action(async (_options: unknown, command: Command) => {
      const { memberReadd } = await import("./commands/member-readd.js");
      done(await memberReadd(command.optsWithGlobals<MemberReaddOptions & GlobalOptions>(), io));
    });
}
