/** Counters, summaries and gauges in the Prometheus text format (0.0.4). The caller bounds the values of each label. */

const QUANTILES = [0.5, 0.9, 0.99] as const
/** The quantiles of a summary cover this many of the last observations. */
const WINDOW = 512

export type Metrics = {
  /** @param label name of its label, if it has one */
  readonly counter: (
    name: string,
    help: string,
    label?: string,
  ) => { readonly add: (value?: string, n?: number) => void }
  readonly summary: (
    name: string,
    help: string,
    label: string,
  ) => { readonly observe: (value: string, amount: number) => void }
  /** Read when the metrics are read. */
  readonly gauge: (name: string, help: string, read: () => number) => void
  /** Like `gauge`, of several values. */
  readonly samples: (type: 'counter' | 'gauge', name: string, help: string, read: () => readonly Sample[]) => void
  readonly text: () => string
}

export type Sample = { readonly labels: Readonly<Record<string, string>>; readonly value: number }

class Series {
  readonly #window = new Float64Array(WINDOW)
  #count = 0
  #sum = 0

  observe(amount: number): void {
    this.#window[this.#count % WINDOW] = amount
    this.#count++
    this.#sum += amount
  }

  lines(name: string, label: string): string[] {
    const sorted = this.#window.slice(0, Math.min(this.#count, WINDOW)).sort()
    const at = (quantile: number) => sorted[Math.min(sorted.length - 1, Math.floor(quantile * sorted.length))] ?? 0
    return [
      ...QUANTILES.map((quantile) => `${name}{${label},quantile="${quantile}"} ${at(quantile)}`),
      `${name}_sum{${label}} ${this.#sum}`,
      `${name}_count{${label}} ${this.#count}`,
    ]
  }
}

/** The most characters of a label value. Names from other systems may be longer. */
const MAX_LABEL = 256

/** Label values are text in quotes: backslash, quote and newline are escaped. Long values are cut. */
const escapeLabel = (value: string): string =>
  value
    .slice(0, MAX_LABEL)
    .toWellFormed()
    .replace(/["\\\n]/g, (c) => (c === '\n' ? '\\n' : `\\${c}`))
const formatLabel = (name: string, value: string): string => `${name}="${escapeLabel(value)}"`

/** Returns the lines above the samples of a family. */
export const formatHeader = (name: string, help: string, type: 'counter' | 'gauge' | 'summary'): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
]

export const formatSample = (name: string, { labels, value }: Sample): string => {
  const text = Object.entries(labels).map(([label, of]) => formatLabel(label, of))
  return `${name}${text.length > 0 ? `{${text.join(',')}}` : ''} ${value}`
}

export const createMetrics = (): Metrics => {
  const families: (() => string[])[] = []

  return {
    counter: (name, help, label) => {
      const counts = new Map<string, number>(label === undefined ? [['', 0]] : [])
      families.push(() => [
        ...formatHeader(name, help, 'counter'),
        ...[...counts].map(([value, n]) =>
          label === undefined ? `${name} ${n}` : `${name}{${formatLabel(label, value)}} ${n}`,
        ),
      ])
      return { add: (value = '', n = 1) => counts.set(value, (counts.get(value) ?? 0) + n) }
    },
    summary: (name, help, label) => {
      const series = new Map<string, Series>()
      families.push(() => [
        ...formatHeader(name, help, 'summary'),
        ...[...series].flatMap(([value, one]) => one.lines(name, formatLabel(label, value))),
      ])
      return {
        observe: (value, amount) => {
          const known = series.get(value)
          if (known) return known.observe(amount)
          const made = new Series()
          made.observe(amount)
          series.set(value, made)
        },
      }
    },
    gauge: (name, help, read) => {
      families.push(() => [...formatHeader(name, help, 'gauge'), `${name} ${read()}`])
    },
    samples: (type, name, help, read) => {
      families.push(() => [...formatHeader(name, help, type), ...read().map((sample) => formatSample(name, sample))])
    },
    text: () => `${families.flatMap((family) => family()).join('\n')}\n`,
  }
}
