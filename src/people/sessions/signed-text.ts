/** Signs texts that an external store keeps, so that only this Plat can write them. */
import { createHmac, timingSafeEqual } from 'node:crypto'

export type TextSigner = {
  /** Returns the signature, a dot and the text. */
  readonly sign: (text: string) => Promise<string>
  /** Returns the text without its signature; undefined for a text that another program has written or changed. */
  readonly open: (signed: string) => Promise<string | undefined>
}

/** HMAC-SHA256 (RFC 2104) in base64url. */
const SIGNED = /^([\w-]{43})\.(.*)$/s

/** @param purpose makes the signature invalid for any other purpose of the key */
export const createTextSigner = (key: () => Promise<Buffer>, purpose: string): TextSigner => {
  const computeSignature = async (text: string): Promise<Buffer> =>
    createHmac('sha256', await key())
      .update(`${purpose}|${text}`)
      .digest()
  return {
    sign: async (text) => `${(await computeSignature(text)).toString('base64url')}.${text}`,
    open: async (signed) => {
      const [, signature, text] = SIGNED.exec(signed) ?? []
      if (signature === undefined || text === undefined) return undefined
      return timingSafeEqual(await computeSignature(text), Buffer.from(signature, 'base64url')) ? text : undefined
    },
  }
}
