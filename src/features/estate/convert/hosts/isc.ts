/** Converts the leases of ISC dhcpd, of IPv4 (`lease`) and IPv6 (`iaaddr`). See dhcpd.leases(5). */
import { parseIp } from '../../../../net/ip.ts'
import { badFile, type Converter } from '../converter.ts'
import { type Lease, Leases } from './leases.ts'
import { badLine, textOf } from './text.ts'

type Token = { readonly text: string; readonly line: number; readonly isString: boolean }

/** A string, a mark, a comment, white space, or a word. */
const TOKEN = /"((?:[^"\\]|\\[\s\S])*)"|([{};])|(#[^\n]*)|(\s+)|([^\s{};#"]+)/y
const MAX_DEPTH = 20

function* tokensOf(text: string): Generator<Token> {
  let line = 1
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text)
    if (!match) throw badLine(line, 'has a text without its end')
    const [whole, string, mark, , , word] = match
    const token = string ?? mark ?? word
    if (token !== undefined) yield { text: token, line, isString: string !== undefined }
    for (let at = whole.indexOf('\n'); at >= 0; at = whole.indexOf('\n', at + 1)) line++
  }
}

/** The statements of a block, by their first words. */
type Block = { readonly head: readonly string[]; readonly line: number; readonly statements: string[][] }

const timeOf = (words: readonly string[]): number | undefined => {
  const [, first = '', date = '', time = ''] = words
  if (first === 'never') return undefined
  if (first === 'epoch') return Number(date) * 1000
  // UTC, after the number of the weekday.
  return Date.parse(`${date.replaceAll('/', '-')}T${time}Z`)
}

const leaseOf = ({ head: [, ip = ''], line, statements }: Block): Lease => {
  if (!parseIp(ip)) throw badLine(line, `${JSON.stringify(ip.slice(0, 64))} is no IP address`)
  const find = (...words: readonly string[]) => statements.find((one) => words.every((word, i) => one[i] === word))
  const state = find('binding', 'state')?.[2] ?? (find('abandoned') ? 'abandoned' : 'active')
  const ends = find('ends')
  const endsMs = ends ? timeOf(ends) : undefined
  if (endsMs !== undefined && Number.isNaN(endsMs)) throw badLine(line, 'has an end that is no time')
  const mac = find('hardware', 'ethernet')?.[2]
  const hostname = find('client-hostname')?.[1]
  return {
    ip,
    ...(mac !== undefined && { mac_address: mac }),
    ...(hostname !== undefined && { hostname }),
    ...(endsMs !== undefined && { endsMs }),
    ...(state !== 'active' && { over: `is ${state}` }),
  }
}

export const convertIsc: Converter = (bytes, { now }) => {
  const leases = new Leases()
  const open: Block[] = []
  let words: string[] = []
  let isKnown = false
  let line = 1
  for (const token of tokensOf(textOf(bytes))) {
    ;({ line } = token)
    if (token.isString || !/^[{};]$/.test(token.text)) {
      words.push(token.text)
      continue
    }
    if (token.text === '{') {
      if (open.length === MAX_DEPTH) throw badLine(line, `is nested deeper than ${MAX_DEPTH}`)
      open.push({ head: words, line, statements: [] })
    } else if (token.text === ';') {
      open.at(-1)?.statements.push(words)
      isKnown ||= open.length === 0 && /^(authoring-byte-order|server-duid|failover)/.test(words[0] ?? '')
    } else {
      const block = open.pop()
      if (!block || words.length > 0) throw badLine(line, 'closes what is not open')
      const isLease = block.head[0] === 'lease' || block.head[0] === 'iaaddr'
      if (isLease) leases.add(leaseOf(block))
      isKnown ||= isLease
    }
    words = []
  }
  if (open.length > 0 || words.length > 0) throw badLine(line, 'the file ends within a lease')
  if (!isKnown) throw badFile('line 1', 'has no lease of dhcpd')
  return leases.conversion('dhcpd', now)
}
