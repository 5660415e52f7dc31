/** Filters of times by how long ago they are: `<24h` for the last 24 hours, `>7d` for earlier than 7 days ago. */

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const AGE = /^([<>])(\d{1,6})([mhdw])$/

/** Returns whether a time is as old as the filter says. No time is, while the filter is not written to its end. */
export const isWithin = (at: string | null, value: string, nowMs = Date.now()): boolean => {
  const [, sign, count, unit = ''] = AGE.exec(value) ?? []
  if (at === null || sign === undefined) return false
  const age = nowMs - Date.parse(at)
  const most = Number(count) * (UNITS_MS[unit] ?? 0)
  return sign === '<' ? age < most : age > most
}
