/** Counts each object and field of a source while it is converted. */
import type { Resource } from '../inventory/resources.ts'
import type { ConvertReport, LazyDocument, Leftover } from './converter.ts'
import type { ConvertOptions } from './protocol.ts'

/** The longest `description`, in characters. */
const MAX_DESCRIPTION = 4096

const add = (counts: Map<string, number>, key: string, n: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + n)
}

/** A value of the source that becomes a line of `description`. */
export type Line = {
  readonly key: string
  readonly value: unknown
  /** The name under which the line is counted, if it is not that of its object and `key`. */
  readonly field?: string
  /** True for a text that needs no key before it. */
  readonly isBare?: boolean
}

const formatValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value)).trim()

/** The longest example of a report, in characters. */
const MAX_EXAMPLE = 200

const formatExample = (value: unknown): string => {
  const text = formatValue(value ?? '')
  return text.length <= MAX_EXAMPLE ? text : `${text.slice(0, MAX_EXAMPLE).toWellFormed()}…`
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

export class ReportBuilder {
  readonly #read = new Map<string, number>()
  readonly #described = new Map<string, number>()
  readonly #left = new Map<string, { what: string; count: number; why: string; example?: string }>()
  readonly #warnings: { message: string }[] = []
  readonly #leftover = new Map<string, unknown[]>()
  readonly #keepsLeftover: boolean

  constructor({ withLeftover = true }: Pick<ConvertOptions, 'withLeftover'> = {}) {
    this.#keepsLeftover = withLeftover
  }

  read(kind: string, n = 1): void {
    add(this.#read, kind, n)
  }

  /**
   * Counts an object or a field that has no place, and keeps its value. The report has the first example of each kind.
   * @param example by default the value
   */
  left(what: string, why: string, value: unknown, example = value): void {
    const counted = this.#count(what, why)
    counted.example ??= formatExample(example)
    if (!this.#keepsLeftover) return
    const values = this.#leftover.get(what)
    if (values) values.push(value)
    else this.#leftover.set(what, [value])
  }

  /** Counts values that are dropped, which are secrets unless `why` says otherwise. Keeps them nowhere. */
  dropped(what: string, why = 'is a secret', n = 1): void {
    this.#count(what, why, n)
  }

  warn(message: string): void {
    this.#warnings.push({ message })
  }

  /**
   * Returns a description with values that Plat has no field for, as lines `key: value` or bare texts below the text. Leaves out empty
   * values. A line that exceeds the longest description is left over, with `id` of its object.
   *
   * @param kind of the object, as the source names it
   */
  describe(kind: string, id: unknown, text: string, lines: readonly Line[]): string {
    let description = text.trim()
    if (description.length > MAX_DESCRIPTION) {
      this.left(`${kind}.description`, 'is longer than a description', { id, value: text })
      // The cut may divide a surrogate pair.
      description = description.slice(0, MAX_DESCRIPTION).toWellFormed()
    }
    const parts = description === '' ? [] : [description]
    let length = description.length
    for (const { key, value, field = `${kind}.${key}`, isBare = false } of lines) {
      if (isEmpty(value)) continue
      const line = isBare ? formatValue(value) : `${key}: ${formatValue(value)}`
      const longer = length + line.length + (parts.length > 0 ? 1 : 0)
      if (longer > MAX_DESCRIPTION) this.left(field, 'is longer than a description', { id, value })
      else {
        parts.push(line)
        length = longer
        add(this.#described, field, 1)
      }
    }
    return parts.join('\n')
  }

  report(documents: LazyDocument): ConvertReport {
    const made: Partial<Record<Resource, number>> = {}
    for (const [resource, rows] of Object.entries(documents))
      if (rows.length > 0) made[resource as Resource] = rows.length
    return {
      read: Object.fromEntries(this.#read),
      made,
      described: [...this.#described].map(([field, count]) => ({ field, count })),
      left: [...this.#left.values()],
      warnings: this.#warnings,
    }
  }

  leftover(): Leftover {
    return Object.fromEntries(this.#leftover)
  }

  #count(what: string, why: string, n = 1): { example?: string } {
    const key = `${what}\n${why}`
    const counted = this.#left.get(key) ?? { what, count: 0, why }
    counted.count += n
    this.#left.set(key, counted)
    return counted
  }
}
