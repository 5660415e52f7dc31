/** Identifies a service by its answer. Pure. */
import { cleanText } from './clean-text.ts'
import { isHttp, readHttp } from './http.ts'
import { SIGNATURES, type Signature } from './signatures.ts'

export type Identity = {
  readonly service: string
  readonly product: string
  readonly version: string
  readonly os: string
}

/** Texts of one answer, by the kind that signatures name. */
export type Texts = Readonly<Partial<Record<Signature['in'], string>>>

/** A pattern sees no more than this, so that none can run for long. */
export const MOST_MATCHED = 16 * 1024

const fillTemplate = (template: string | undefined, match: RegExpExecArray): string =>
  cleanText(
    (template ?? '').replace(/\$(\d)/g, (_, group) => match[Number(group)] ?? ''),
    120,
  )

export const applySignature = (signature: Signature, text: string): Identity | undefined => {
  const match = signature.pattern.exec(text.slice(0, MOST_MATCHED))
  if (match === null) return undefined
  const { service, product, version, os } = signature
  return {
    service,
    product: fillTemplate(product, match),
    version: fillTemplate(version, match),
    os: fillTemplate(os, match),
  }
}

export const identify = (texts: Texts): Identity | undefined => {
  for (const signature of SIGNATURES) {
    const text = texts[signature.in]
    const found = text ? applySignature(signature, text) : undefined
    if (found) return found
  }
  return undefined
}

/** Returns all bytes received from a port, as Latin-1. */
export const toTexts = (banner: string): Texts => {
  if (!isHttp(banner)) return { banner }
  const { server, realm, title } = readHttp(banner)
  const head = banner.split(/\r?\n\r?\n/, 1)[0] ?? ''
  return { server, realm, title, head }
}
