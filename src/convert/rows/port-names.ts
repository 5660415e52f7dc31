/** The names of the ports of one device, which are unique in any case. */
import type { ReportBuilder } from '../report-builder.ts'
import { MAX_PORT_NAME, type Place, trimText } from './row-text.ts'

export class PortNames {
  readonly #report: ReportBuilder
  readonly #taken = new Set<string>()

  constructor(report: ReportBuilder) {
    this.#report = report
  }

  /** Returns a name that no other port has. @param others texts that tell the port apart, of which the last one surely does */
  unique(place: Place, name: string, others: readonly string[]): string {
    const plain = trimText(this.#report, place, name, MAX_PORT_NAME) || 'port'
    const candidates = [plain, ...others.map((text) => addEnding(plain, text))]
    const found = candidates.find((text) => !this.#taken.has(text.toLowerCase()))
    const unique = found ?? this.#numbered(plain)
    this.#taken.add(unique.toLowerCase())
    return unique
  }

  #numbered(name: string): string {
    for (let n = 2; ; n++) {
      const text = addEnding(name, `#${n}`)
      if (!this.#taken.has(text.toLowerCase())) return text
    }
  }
}

/** @example addEnding('1', 'rear') // '1 (rear)' */
const addEnding = (name: string, text: string): string => {
  const suffix = ` (${text})`
  return `${name.slice(0, MAX_PORT_NAME - suffix.length).toWellFormed()}${suffix}`
}
