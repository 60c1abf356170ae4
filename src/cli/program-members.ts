import type { Command } from "commander";
import type { GlobalOptions } from "./global-options.js";
import type { Io } from "./io.js";

/** The commands that are about etcd itself, as `createProgram` adds them. */
export function addMemberCommands(program: Command, io: Io, done: (exitCode: number) => void): void {
  addMembers(program, io, done);
  addSnapshot(program, io, done);
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
