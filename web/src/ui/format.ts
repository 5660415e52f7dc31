/** Numbers and times as text. */

const whole = new Intl.NumberFormat('en-US')
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** @example count(100000) // '100,000' */
export const count = (value: number): string => whole.format(value)

/** Larger powers of two are shown as powers. */
const MOST_BITS_READ = 40

const hostBits = (subnet: string): number => (subnet.includes(':') ? 128 : 32) - Number(subnet.split('/')[1])

/** Returns true if a network has too many addresses to show their number in digits. */
export const isBeyondCounting = (subnet: string): boolean => hostBits(subnet) > MOST_BITS_READ

/** @example addressCount('2001:db8::/64', 0) // '2^64' */
export const addressCount = (subnet: string, total: number): string =>
  isBeyondCounting(subnet) ? `2^${hostBits(subnet)}` : count(total)

/** @example plural(2, 'device') // '2 devices' */
export const plural = (value: number, noun: string, nouns = `${noun}s`): string =>
  `${count(value)} ${value === 1 ? noun : nouns}`

export const percent = (value: number): string =>
  `${value >= 99.95 || value === 0 ? Math.round(value) : value.toFixed(1)}%`

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** @example ago('2026-01-01T00:00:00.000Z', Date.parse('2026-01-01T02:00:00Z')) // '2 hours ago' */
export const ago = (at: string, nowMs: number): string => {
  const seconds = (Date.parse(at) - nowMs) / 1000
  for (const [unit, size] of UNITS)
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit)
  return seconds > 0 ? 'in a moment' : 'just now'
}

/** Formats a time in the time zone of the browser, to the minute. */
export const moment = (at: string): string => {
  const time = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`
}

/** Formats a time in the time zone of the browser, to the second. */
export const exactMoment = (at: string): string => `${moment(at)}:${String(new Date(at).getSeconds()).padStart(2, '0')}`

/** Formats a time as a field of the browser takes it. @example '2026-01-31T12:00:05' */
export const localMoment = (at: string): string => exactMoment(at).replace(' ', 'T')
