/** Keeps the counts, warnings and log of a fetch, without secrets and within bounds. */
import type { SecretValues } from '../kinds/source-kind.ts'
import type { Certificate } from '../schema.ts'
import type { FetchFacts, LogLine } from './protocol.ts'

const MAX_LINES = 200
const MAX_WARNINGS = 200
const MAX_TEXT = 500
const MAX_PRODUCT = 200
/** A shorter secret could be a part of any word. */
const MIN_SECRET = 4

const XML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Returns the forms that a secret has in URLs, forms, JSON and XML. */
const listForms = (secret: string): string[] => [
  encodeURIComponent(secret),
  new URLSearchParams({ '': secret }).toString().slice(1),
  JSON.stringify(secret).slice(1, -1),
  secret.replace(/[&<>"']/g, (character) => XML_ENTITIES[character] ?? character),
  secret.replace(/[&<>]/g, (character) => XML_ENTITIES[character] ?? character),
]

/** Returns the function that replaces secrets in a text. */
export const createRedact = (secrets: SecretValues): ((text: string) => string) => {
  const all = Object.values(secrets).flatMap((secret) => [secret, secret.trim(), ...listForms(secret)])
  const hidden = [...new Set(all)].filter(({ length }) => length >= MIN_SECRET)
  // The longest first: one secret may be a part of another one.
  hidden.sort((a, b) => b.length - a.length)
  return (text) => hidden.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
}

export class FetchLog {
  requests = 0
  bytes = 0
  latencyMs = 0
  /** As `GET /version`; '' before the first. */
  lastRequest = ''
  certificate: Certificate | null = null
  readonly clean: (text: string, most?: number) => string
  #product = ''
  readonly #lines: LogLine[] = []
  #unloggedLines = 0
  readonly #warnings: { message: string }[] = []
  #untoldWarnings = 0

  constructor(secrets: SecretValues) {
    const redact = createRedact(secrets)
    this.clean = (text, most = MAX_TEXT) => {
      // The cut comes last: a secret that is cut is no longer found.
      const line = redact(text)
        .replace(/\p{Cc}+/gu, ' ')
        .trim()
      return line.length <= most ? line : `${line.slice(0, most).toWellFormed()}…`
    }
  }

  product(text: string): void {
    this.#product = this.clean(text, MAX_PRODUCT)
  }

  line(text: string): void {
    if (this.#lines.length < MAX_LINES - 1) this.#lines.push({ at: new Date().toISOString(), text: this.clean(text) })
    else this.#unloggedLines++
  }

  warn(message: string): void {
    if (this.#warnings.length < MAX_WARNINGS - 1) this.#warnings.push({ message: this.clean(message) })
    else this.#untoldWarnings++
  }

  facts(): FetchFacts {
    const more = this.#unloggedLines
    const untold = this.#untoldWarnings
    return {
      product: this.#product,
      requests: this.requests,
      bytes: this.bytes,
      latencyMs: Math.round(this.latencyMs),
      certificate: this.certificate,
      warnings: [...this.#warnings, ...(untold > 0 ? [{ message: `${untold} further warnings` }] : [])],
      log: [...this.#lines, ...(more > 0 ? [{ at: new Date().toISOString(), text: `${more} further lines` }] : [])],
    }
  }
}
