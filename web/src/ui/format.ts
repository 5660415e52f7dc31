/** Numbers and times as text. */

const whole = new Intl.NumberFormat('en-US')
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** @example count(100000) // '100,000' */
export const formatCount = (value: number): string => whole.format(value)

/** Larger powers of two are shown as powers. */
const MOST_BITS_READ = 40

const countHostBits = (subnet: string): number => (subnet.includes(':') ? 128 : 32) - Number(subnet.split('/')[1])

/** Returns true if a network has too many addresses to show their number in digits. */
export const isBeyondCounting = (subnet: string): boolean => countHostBits(subnet) > MOST_BITS_READ

/** @example formatAddressCount('2001:db8::/64', 0) // '2^64' */
export const formatAddressCount = (subnet: string, total: number): string =>
  isBeyondCounting(subnet) ? `2^${countHostBits(subnet)}` : formatCount(total)

/** @example plural(2, 'device') // '2 devices' */
export const plural = (value: number, noun: string, nouns = `${noun.replace(/(?<![aeiou])y$/, 'ie')}s`): string =>
  `${formatCount(value)} ${value === 1 ? noun : nouns}`

/** `Users` as `users`, `API keys` as it is. */
export const toSentenceCase = (title: string): string =>
  title.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())

export const formatPercent = (value: number): string =>
  `${value >= 99.95 || value === 0 ? Math.round(value) : value.toFixed(1)}%`

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** @example formatAgo('2026-01-01T00:00:00.000Z', Date.parse('2026-01-01T02:00:00Z')) // '2 hours ago' */
export const formatAgo = (at: string, nowMs: number): string => {
  const seconds = (Date.parse(at) - nowMs) / 1000
  for (const [unit, size] of UNITS) {
    // An end is counted in days: users choose 90 days, and two months would be too early.
    if (Math.abs(seconds) < size || (seconds > 0 && unit === 'month')) continue
    return relative.format(seconds > 0 ? Math.round(seconds / size) : Math.trunc(seconds / size), unit)
  }
  // The clock of the server may be a little ahead.
  return 'just now'
}

/** Formats a time in the time zone of the browser, to the minute. */
export const formatMoment = (at: string): string => {
  const time = new Date(at)
  const padNumber = (value: number) => String(value).padStart(2, '0')
  const day = `${time.getFullYear()}-${padNumber(time.getMonth() + 1)}-${padNumber(time.getDate())}`
  return `${day} ${padNumber(time.getHours())}:${padNumber(time.getMinutes())}`
}

/** Formats a time in the time zone of the browser, to the second. */
export const formatExactMoment = (at: string): string =>
  `${formatMoment(at)}:${String(new Date(at).getSeconds()).padStart(2, '0')}`

/** Formats a time as a field of the browser takes it. @example '2026-01-31T12:00:05' */
export const formatLocalMoment = (at: string): string => formatExactMoment(at).replace(' ', 'T')
