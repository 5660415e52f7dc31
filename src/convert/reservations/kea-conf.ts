/** Converts the reservations of Kea: those of its configuration, of subnets and of the whole server. */
import { isRecord } from '../../contract/unknown.ts'
import { type Converter, createFileError } from '../converter.ts'
import { Findings } from '../hosts/found.ts'
import { decodeText } from '../hosts/text.ts'

/** A string, a comment, a comma before a closing mark, or a number without its zero: Kea reads them beyond JSON. */
const BEYOND_JSON = /"(?:[^"\\]|\\[\s\S])*"|\/\*[\s\S]*?\*\/|\/\/[^\n]*|#[^\n]*|,(?=\s*[\]}])|(?<![\d])\.(?=\d)/g
const MAX_DEPTH = 20
/** Fields that say who the client is, or what it gets beside its addresses. */
const OTHERS = ['prefixes', 'client-id', 'circuit-id', 'flex-id', 'duid', 'option-data', 'next-server', 'user-context']

const parse = (text: string): unknown => {
  // A comment may hold a comma, so commas are taken away after comments.
  const strip = (given: string): string =>
    given.replace(BEYOND_JSON, (part) => (part.startsWith('"') ? part : part === '.' ? '0.' : ''))
  try {
    return JSON.parse(strip(strip(text)))
  } catch (error) {
    throw createFileError('the file', `is no configuration of Kea: ${error instanceof Error ? error.message : error}`)
  }
}

const toTexts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : value ? [String(value)] : [])

const addReservation = (given: unknown, findings: Findings): void => {
  if (!isRecord(given)) {
    findings.leave('is no reservation', given)
    return
  }
  const [hostname, mac] = [String(given.hostname ?? ''), given['hw-address']]
  const ips = [...toTexts(given['ip-address']), ...toTexts(given['ip-addresses'])]
  for (const field of OTHERS)
    if (toTexts(given[field]).length > 0)
      findings.report.left(`reservation.${field}`, 'has no place in Plat', { hostname, value: given[field] })
  if (ips.length === 0) findings.leave('has no IP address', given)
  for (const ip of ips) findings.add({ ip, hostname, ...(typeof mac === 'string' && { mac_address: mac }) })
}

/** Finds the reservations of the server, its subnets and shared networks. @returns whether there is a list of them */
const read = (value: unknown, findings: Findings, depth = 0): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (depth > MAX_DEPTH) throw createFileError('the file', `is nested deeper than ${MAX_DEPTH}`)
  let isFound = false
  for (const [name, inner] of Object.entries(value)) {
    if (name === 'reservations' && Array.isArray(inner)) {
      isFound = true
      for (const one of inner) addReservation(one, findings)
    } else isFound = read(inner, findings, depth + 1) || isFound
  }
  return isFound
}

export const convertKeaConf: Converter = (bytes, options) => {
  const findings = new Findings('reservation', options)
  const config = parse(decodeText(bytes, '#'))
  if (!read(config, findings)) throw createFileError('the file', 'has no list "reservations" of Kea')
  return findings.conversion('kea.conf')
}
