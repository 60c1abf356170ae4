/**
 * An environment file of systemd (systemd.exec, EnvironmentFile=): one assignment a line, of which the last one counts; `#` and `;`
 * begin comments; a value may stand in quotes.
 */
const ASSIGNMENT = /^([ \t]*(ETCD_[A-Z0-9_]+)=)(?:"([^"\n]*)"|'([^'\n]*)'|([^"'\\\r\n]*?))([ \t\r]*)$/gm;

/** etcd's variables, by the flag's name without dashes: `ETCD_DATA_DIR` is `data-dir`. */
export function environmentFlags(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(ASSIGNMENT)].map(([, , variable = "", double, single, bare]) => [
      variable.slice("ETCD_".length).toLowerCase().replaceAll("_", "-"),
      double ?? single ?? bare ?? "",
    ]),
  );
}

/** Sets flags by their variables; every other byte stays. One that is not there comes at the end. */
export function editEtcdEnvironment(text: string, flags: ReadonlyMap<string, string>): string {
  const there = environmentFlags(text);
  const edited = text.replaceAll(
    ASSIGNMENT,
    (line, start: string, variable: string, double?: string, single?: string, _bare?: string, end = "") => {
      const value = [...flags].find(([flag]) => variableOf(flag) === variable)?.[1];
      if (value === undefined) return line;
      const quote = double !== undefined ? '"' : single !== undefined ? "'" : "";
      return `${start}${quote}${value}${quote}${end}`;
    },
  );
  const missing = [...flags].filter(([flag]) => !there.has(flag));
  const separator = edited === "" || edited.endsWith("\n") ? "" : "\n";
  return missing.reduce((all, [flag, value]) => `${all}${variableOf(flag)}=${value}\n`, edited + separator);
}

function variableOf(flag: string): string {
  return `ETCD_${flag.toUpperCase().replaceAll("-", "_")}`;
}
