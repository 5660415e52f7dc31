/** Reads the parts of an HTTP answer that identify its software (RFC 9112). Pure. */
import { cleanText } from './clean-text.ts'

export type HttpAnswer = {
  readonly status: number
  readonly server: string
  readonly title: string
  /** From `WWW-Authenticate` (RFC 9110 section 11.6.1). */
  readonly realm: string
  readonly location: string
  readonly poweredBy: string
}

export const isHttp = (text: string): boolean => /^HTTP\/\d/.test(text)

const readHeader = (head: string, name: string): string =>
  cleanText(new RegExp(`^${name}:[ \\t]*([^\\r\\n]*)`, 'im').exec(head)?.[1] ?? '')

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
const unescapeHtml = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,6}));/gi, (whole, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined
    if (code !== undefined) return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : ''
    return ENTITIES[String(name).toLowerCase()] ?? whole
  })

const readTitle = (body: string): string => {
  const start = /<title[^>]{0,200}>/i.exec(body)
  if (start === null) return ''
  const rest = body.slice(start.index + start[0].length, start.index + start[0].length + 1000)
  const end = rest.search(/<\/title/i)
  return cleanText(unescapeHtml(end < 0 ? rest : rest.slice(0, end)), 200)
}

export const readHttp = (text: string): HttpAnswer => {
  const end = text.search(/\r?\n\r?\n/)
  const [head, body] = end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end)]
  return {
    status: Number(/^HTTP\/[\d.]+ (\d{3})/.exec(head)?.[1] ?? 0),
    server: readHeader(head, 'server'),
    title: readTitle(body),
    realm: cleanText(/^www-authenticate:[^\r\n]*?realm="?([^"\r\n]*)/im.exec(head)?.[1] ?? ''),
    location: readHeader(head, 'location'),
    poweredBy: readHeader(head, 'x-powered-by'),
  }
}

/** The head is there, and with it the title or all of the body that was announced. */
export const isWholeHttp = (text: string): boolean => {
  const end = text.search(/\r?\n\r?\n/)
  if (end < 0) return false
  const length = /^content-length:[ \t]*(\d+)/im.exec(text.slice(0, end))?.[1]
  if (length !== undefined && Buffer.byteLength(text.slice(end).trimStart()) >= Number(length)) return true
  return /<\/title/i.test(text.slice(end))
}

export const buildHttpRequest = (ip: string, port: number): Buffer =>
  Buffer.from(
    `GET / HTTP/1.1\r\nHost: ${ip.includes(':') ? `[${ip}]` : ip}:${port}\r\nUser-Agent: plat-discovery\r\nAccept: */*\r\nConnection: close\r\n\r\n`,
  )
