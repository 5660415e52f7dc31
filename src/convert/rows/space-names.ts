/** The names of address spaces. They are unique in any case, although the names in a source may not be. */
import { isDefault } from '../../inventory/spaces/fields.ts'
import type { ReportBuilder } from '../report-builder.ts'
import { type Place, trimText } from './row-text.ts'

export class SpaceNames {
  readonly #report: ReportBuilder
  readonly #taken = new Set<string>()

  constructor(report: ReportBuilder) {
    this.#report = report
  }

  /** Returns a name that no other space has. @param others texts that distinguish the object; the last one suffices */
  unique(place: Place, name: string, others: readonly string[]): string {
    const known = others.filter((text) => text !== '')
    const candidates = [name, ...known.map((text) => `${name} (${text})`), ...known].map((text) => text.trim())
    const isFree = (text: string) => text !== '' && !isDefault(text) && !this.#taken.has(text.toLowerCase())
    const found = candidates.map((text) => trimText(this.#report, place, text)).find(isFree)
    const unique = found ?? `${known.at(-1) ?? ''} ${this.#taken.size + 1}`.trim()
    this.#taken.add(unique.toLowerCase())
    return unique
  }
}
