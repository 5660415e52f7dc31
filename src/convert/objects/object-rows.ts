/** The objects of a document: rows of the kinds that packs bring, and of kinds that the source itself defines. */
import type { EstateRow } from '../converter.ts'
import type { ReportBuilder } from '../report-builder.ts'
import { compact, MAX_TEXT, type Place, trimText } from '../rows/row-text.ts'
import { findPackKind } from './packs.ts'

export type ObjectFields = {
  /** The id of the kind. */
  readonly kind: string
  /** The object of the source, for the leftover. Its id stands behind a name that is taken. */
  readonly place: Place
  readonly name: string
  readonly parent?: object | undefined
  readonly datacenter?: object | undefined
  readonly description?: string
  readonly custom?: EstateRow | undefined
  readonly refs: EstateRow
}

/** The most objects one below another, with the one at the top. */
const MAX_LEVELS = 20

const getRefs = (row: EstateRow): string[] =>
  // Rows of converters have refs of texts.
  Object.entries((row.refs ?? {}) as Record<string, string>).map(([source, id]) => `${row.kind} ${source}:${id}`)

export class ObjectRows {
  readonly rows: EstateRow[] = []
  /** The packs of the kinds with objects. */
  readonly packs = new Set<string>()
  readonly #report: ReportBuilder
  readonly #names = new Map<string, Set<string>>()

  constructor(report: ReportBuilder) {
    this.#report = report
  }

  add({ kind, place, name, ...fields }: ObjectFields): EstateRow {
    const pack = findPackKind(kind)?.pack
    if (pack !== undefined) this.packs.add(pack)
    const row = compact({ kind, name: this.#name(kind, place, name), ...fields })
    this.rows.push(row)
    return row
  }

  /**
   * Sorts parents before their children. Leaves a parent over that is no row, that would close a circle, or that is below too
   * many others.
   */
  finish(): EstateRow[] {
    const byRef = new Map(this.rows.flatMap((row) => getRefs(row).map((ref) => [ref, row] as const)))
    const levels = new Map<EstateRow, number>()
    const findParent = ({ kind, parent }: EstateRow): EstateRow | undefined =>
      parent === undefined ? undefined : byRef.get(`${kind} ${(parent as { ref: string }).ref}`) // as `add` takes it
    for (const row of this.rows) {
      const open = new Set<EstateRow>()
      let top: EstateRow | undefined = row
      for (; top && !levels.has(top) && !open.has(top); top = findParent(top)) open.add(top)
      const isCircle = top !== undefined && open.has(top)
      let level = isCircle || !top ? 0 : (levels.get(top) ?? 0)
      for (const one of [...open].toReversed()) {
        const isTop = level === 0 || level === MAX_LEVELS
        if (isTop && one.parent !== undefined) this.#leaveParent(one, isCircle, level)
        level = isTop ? 1 : level + 1
        levels.set(one, level)
      }
    }
    this.rows.sort((a, b) => (levels.get(a) ?? 0) - (levels.get(b) ?? 0))
    return this.rows
  }

  #leaveParent(row: EstateRow, isCircle: boolean, level: number): void {
    const why =
      level > 0 ? `is below more than ${MAX_LEVELS} others` : isCircle ? 'is below itself' : 'has no place in Plat'
    this.#report.left(`${row.kind}.parent`, why, { row: row.refs, value: row.parent })
    delete row.parent
  }

  /** Where names are unique, in any case, a later object has its id behind its name. */
  #name(kind: string, place: Place, given: string): string {
    const suffix = ` #${place.id}`
    const name = trimText(this.#report, { ...place, what: `${place.what}.name` }, given) || suffix.trim()
    if (findPackKind(kind)?.hasUniqueNames !== true) return name
    const taken = this.#names.get(kind) ?? new Set()
    this.#names.set(kind, taken)
    const unique = taken.has(name.toLowerCase())
      ? `${name.slice(0, MAX_TEXT - suffix.length).toWellFormed()}${suffix}`
      : name
    taken.add(unique.toLowerCase())
    return unique
  }
}
