const SECONDS_A_DAY = 86_400;
/** Go's zero time, 0001-01-01T00:00:00Z, in seconds since 1970. */
const ZERO_TIME = -62_135_596_800;
const DAYS_IN_ERA = 146_097;

/** `metav1.Time` as the API shows it: RFC 3339 in UTC, whole seconds; null for Go's zero time. */
export function timeText(seconds: number): string | null {
  return seconds === ZERO_TIME ? null : `${dateTime(seconds)}Z`;
}

/** `metav1.MicroTime` as the API shows it: always six digits behind the second. */
export function microTimeText(seconds: number, nanos: number): string | null {
  const micros = Math.trunc(nanos / 1000);
  const whole = seconds + Math.floor(micros / 1_000_000);
  const fraction = micros - Math.floor(micros / 1_000_000) * 1_000_000;
  if (whole === ZERO_TIME && fraction === 0) return null;
  return `${dateTime(whole)}.${pad(fraction, 6)}Z`;
}

function dateTime(seconds: number): string {
  const days = Math.floor(seconds / SECONDS_A_DAY);
  const second = seconds - days * SECONDS_A_DAY;
  const time = [Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60];
  return `${date(days)}T${time.map((part) => pad(part, 2)).join(":")}`;
}

/** Days since 1970-01-01 as a proleptic Gregorian date, counted in eras of 400 years that begin in March. */
function date(days: number): string {
  const sinceMarch0 = days + 719_468;
  const era = Math.floor(sinceMarch0 / DAYS_IN_ERA);
  const day = sinceMarch0 - era * DAYS_IN_ERA;
  const year = Math.floor(
    (day - Math.floor(day / 1460) + Math.floor(day / 36_524) - Math.floor(day / 146_096)) / 365,
  );
  const dayOfYear = day - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  const month = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * month + 2) / 5) + 1;
  const calendarMonth = month < 10 ? month + 3 : month - 9;
  const calendarYear = year + era * 400 + (calendarMonth <= 2 ? 1 : 0);
  return `${pad(calendarYear, 4)}-${pad(calendarMonth, 2)}-${pad(dayOfMonth, 2)}`;
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, "0");
}
