import { Command, InvalidArgumentError, Option } from "commander";
import { collectAccepted } from "./accept-codes.js";
import type { ApplyOptions } from "./commands/apply.js";
import type { ChangePodCidrOptions } from "./commands/change-pod-cidr.js";
import type { RollbackOptions } from "./commands/rollback.js";
import type { VerifyOptions } from "./commands/verify.js";
import type { GlobalOptions } from "./global-options.js";
import type { Io } from "./io.js";
import { ofThisRun } from "./of-this-run.js";
import { addMemberCommands } from "./program-members.js";

/** The command line. `done` takes a command's exit code; the commands' code is loaded when one is called. */
export function createProgram(version: string, io: Io, done: (exitCode: number) => void): Command {
  const program = new Command("etcdcidr")
    .description(
      "Changes the pod network of a running Kubernetes cluster by editing the stored\n" +
        "Nodes in etcd: planned, shown, journalled, applied by compare-and-swap,\n" +
        "verified and reversible.",
    )
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    // Defaults are in the texts: commander would print "(default: false)" behind every flag.
    .configureHelp({ showGlobalOptions: true, optionDescription: ({ description }) => description })
    .showHelpAfterError(false)
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err, outputError: () => undefined });
  program.addHelpText(
    "after",
    "\nExamples:\n" +
      "  etcdcidr change-pod-cidr 10.212.0.0/16 --node-cidr-mask-size 22 --dry-run\n" +
      "  etcdcidr rollback",
  );
  addGlobalOptions(program);
  addChangePodCidr(program, io, done);
  addRollback(program, io, done);
  addResume(program, io, done);
  addApply(program, io, done);
  addChanges(program, io, done);
  addVerify(program, io, done);
  addUninstallRecords(program, io, done);
  addMemberCommands(program, io, done);
  return program;
}

function addGlobalOptions(program: Command): void {
  program
    .option("--endpoints <urls>", "etcd's client URLs, with commas (ETCDCTL_ENDPOINTS)")
    .addOption(new Option("--endpoint <url>", "the same, as etcdhelper calls it").hideHelp())
    .option("--cacert <file>", "CA that etcd's certificate is checked against (ETCDCTL_CACERT)")
    .option("--cert <file>", "client certificate (ETCDCTL_CERT)")
    .option("--key <file>", "its key (ETCDCTL_KEY)")
    .option("--user <name[:password]>", "user of etcd (ETCDCTL_USER)")
    .option("--password <password>", "that user's password (ETCDCTL_PASSWORD)")
    .option("--dial-timeout <duration>", "for a connection to open; 2s (ETCDCTL_DIAL_TIMEOUT)")
    .option("--command-timeout <duration>", "for each call to etcd; 5s (ETCDCTL_COMMAND_TIMEOUT)")
    .option("--prefix <key>", "where Kubernetes keeps its keys; /registry")
    .option("--journal-dir <directory>", "where journals are kept; /var/lib/etcdcidr for root")
    .option("-y, --yes", "do not ask; required without a terminal", false)
    .option("--accept <code>", "accept a finding's harm, by its code (repeatable)", collectAccepted, [])
    .addOption(
      new Option("-o, --output <format>", "text (the default), json or yaml")
        .choices(["text", "json", "yaml"])
        .default("text"),
    )
    .option("--debug", "print stack traces", false);
}

function addChangePodCidr(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command("change-pod-cidr")
    .argument("<cidr[,cidr]>", "the new cluster CIDR; two, one of each family, for dual stack")
    .description("Gives the Nodes' podCIDR and podCIDRs blocks of a new cluster CIDR.")
    .option("--node-cidr-mask-size <bits>", "size of a Node's block, as kube-controller-manager's flag", bits)
    .option("--node-cidr-mask-size-ipv4 <bits>", "the same for the IPv4 range of dual stack", bits)
    .option("--node-cidr-mask-size-ipv6 <bits>", "the same for the IPv6 range of dual stack", bits)
    .addOption(
      new Option("--mapping <how>", "index keeps each Node's place (the default), compact leaves no gaps")
        .choices(["index", "compact"])
        .default("index"),
    )
    .option(
      "--reserved <cidr>",
      "a range that is in use elsewhere: no Node gets a block of it (repeatable)",
      collect,
      [],
    )
    .option(
      "--node <name>",
      "change only this Node, also one outside the old range (repeatable)",
      collect,
      [],
    )
    .option("--assign-missing", "give blocks to Nodes that have none", false)
    .option("--add-family", "add a family that the Nodes do not have yet, behind the one they have", false)
    .option("--one-transaction", "all or nothing, even while API servers watch", false)
    .option("--dry-run", "print the plan and end: exit code 0, or 3 when it is blocked", false)
    .option("--out <file>", "save the plan for `etcdcidr apply`")
    .option("--snapshot <file>", "save a snapshot of etcd in a new file before the first write")
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  etcdcidr change-pod-cidr 10.212.0.0/16 --node-cidr-mask-size 22 --dry-run\n" +
        "  etcdcidr change-pod-cidr 10.212.0.0/16,fd00:10:212::/48 --node-cidr-mask-size-ipv4 22",
    )
    .action(async (cidrs: string, _options: unknown, command: Command) => {
      const { changePodCidr } = await import("./commands/change-pod-cidr.js");
      done(await changePodCidr(cidrs, command.optsWithGlobals<ChangePodCidrOptions & GlobalOptions>(), io));
    });
}

function addRollback(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command("rollback")
    .argument("[change]", "id of the change to undo; else the newest that stands")
    .description("Undoes a change: old values into today's objects; Nodes that joined since are moved along.")
    .option("--leave-new-nodes", "leave Nodes that joined since where they are", false)
    .option(
      "--restore-unreadable <key>",
      "only put a journal's bytes back over this key, whose value nobody can decode any more",
    )
    .option("--one-transaction", "all or nothing, even while API servers watch", false)
    .option("--dry-run", "print the plan and end: exit code 0, or 3 when it is blocked", false)
    .option("--out <file>", "save the plan for `etcdcidr apply`")
    .addHelpText(
      "after",
      "\nExamples:\n  etcdcidr rollback --dry-run\n  etcdcidr rollback 20261201-113000-7f3a9c --yes",
    )
    .action(async (change: string | undefined, _options: unknown, command: Command) => {
      const { rollback } = await import("./commands/rollback.js");
      const options = command.optsWithGlobals<RollbackOptions & GlobalOptions>();
      done(await ofThisRun(() => rollback(change, options, io)));
    });
}

function addResume(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command("resume")
    .argument("[change]", "id of the change to go on with; else the newest that is unfinished")
    .description("Goes on with a change that was interrupted; what had no answer is settled by reading.")
    .addHelpText("after", "\nExamples:\n  etcdcidr resume\n  etcdcidr resume 20261201-113000-7f3a9c --yes")
    .action(async (change: string | undefined, _options: unknown, command: Command) => {
      const { resume } = await import("./commands/resume.js");
      const options = command.optsWithGlobals<GlobalOptions>();
      done(await ofThisRun(() => resume(change, options, io)));
    });
}

function addApply(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command("apply")
    .argument("<plan>", "file that --out has written")
    .description("Applies a saved plan if planning again gives the same edits.")
    .option("--dry-run", "plan again, compare, and end", false)
    .addHelpText(
      "after",
      "\nExamples:\n  etcdcidr apply plan.json --dry-run\n  etcdcidr apply plan.json --yes",
    )
    .action(async (plan: string, _options: unknown, command: Command) => {
      const { applyPlan } = await import("./commands/apply.js");
      done(await applyPlan(plan, command.optsWithGlobals<ApplyOptions & GlobalOptions>(), io));
    });
}

function addChanges(program: Command, io: Io, done: (exitCode: number) => void): void {
  const changes = program
    .command("changes")
    .description(
      "Lists the changes that have a journal here, and those that other hosts have recorded in etcd.",
    )
    .addHelpText("after", "\nExamples:\n  etcdcidr changes\n  etcdcidr changes -o json")
    .action(async (_options: unknown, command: Command) => {
      const { listChanges } = await import("./commands/changes.js");
      done(await listChanges(command.optsWithGlobals<GlobalOptions>(), io));
    });
  changes
    .command("export")
    .argument("<change>", "id of the change")
    .argument("<file>", "a new file")
    .description("Copies a change's journal into a file, for another control-plane host.")
    .addHelpText(
      "after",
      "\nExamples:\n  etcdcidr changes export 20261201-113000-7f3a9c change.jsonl\n  scp change.jsonl kube-2:",
    )
    .action(async (change: string, file: string, _options: unknown, command: Command) => {
      const { exportChange } = await import("./commands/changes-export.js");
      done(await exportChange(change, file, command.optsWithGlobals<GlobalOptions>(), io));
    });
  changes
    .command("import")
    .argument("<file>", "file that `changes export` has written")
    .description("Takes over another host's journal, so that its change can be resumed or rolled back here.")
    .addHelpText(
      "after",
      "\nExamples:\n  etcdcidr changes import change.jsonl\n  etcdcidr rollback 20261201-113000-7f3a9c --dry-run",
    )
    .action(async (file: string, _options: unknown, command: Command) => {
      const { importChange } = await import("./commands/changes-export.js");
      done(await importChange(file, command.optsWithGlobals<GlobalOptions>(), io));
    });
}

function addVerify(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command("verify")
    .description(
      "Checks every place that holds an address, against each other and the ranges given; changes nothing.",
    )
    .option(
      "--pod-cidr <cidr[,cidr]>",
      "the pod network as it should be; else as kube-controller-manager has it",
    )
    .option(
      "--service-cidr <cidr[,cidr]>",
      "the service network as it should be; else as kube-apiserver has it",
    )
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  etcdcidr verify\n" +
        "  etcdcidr verify --pod-cidr 10.212.0.0/16 --accept cannot-tell -o json",
    )
    .action(async (_options: unknown, command: Command) => {
      const { verify } = await import("./commands/verify.js");
      done(await verify(command.optsWithGlobals<VerifyOptions & GlobalOptions>(), io));
    });
}

function addUninstallRecords(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command("uninstall-records")
    .description("Removes the keys that etcdcidr keeps in etcd; journals stay.")
    .addHelpText(
      "after",
      "\nExamples:\n  etcdcidr uninstall-records\n  etcdcidr uninstall-records --yes --endpoints http://127.0.0.1:2379",
    )
    .action(async (_options: unknown, command: Command) => {
      const { uninstallRecords } = await import("./commands/uninstall-records.js");
      done(await uninstallRecords(command.optsWithGlobals<GlobalOptions>(), io));
    });
}

function collect(value: string, values: readonly string[]): readonly string[] {
  return [...values, ...value.split(",").filter((part) => part !== "")];
}

function bits(value: string): number {
  if (!/^\d{1,3}$/.test(value))
    throw new InvalidArgumentError("a number of bits is expected, 24 for example.");
  return Number(value);
}
