/** Converts the reservations of ISC dhcpd: the `host` declarations of dhcpd.conf(5). */
import { parseIp } from '../../net/ip.ts'
import { type Converter, createFileError } from '../converter.ts'
import { Findings } from '../hosts/found.ts'
import { createLineError, decodeText } from '../hosts/text.ts'

/** A string, a mark, a comment, white space, or a word. */
const TOKEN = /"((?:[^"\\]|\\[\s\S])*)"|([{};,])|(#[^\n]*)|(\s+)|([^\s{};,#"]+)/y
const MAX_DEPTH = 50

/** A statement with its words, and the statements of its block. */
type Statement = { readonly words: string[]; readonly line: number; readonly inner: Statement[] }

const parseStatements = (text: string): Statement[] => {
  const outer: Statement[] = []
  const open: Statement[] = []
  let words: string[] = []
  let [line, begins] = [1, 1]
  const finish = (): Statement => {
    const statement = { words, line: begins, inner: [] }
    ;(open.at(-1)?.inner ?? outer).push(statement)
    words = []
    return statement
  }
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at
    const match = TOKEN.exec(text)
    if (!match) throw createLineError(line, 'has a text without its end')
    const [whole, string, mark, , , word] = match
    const value = string ?? word ?? (mark === ',' ? mark : undefined)
    if (value !== undefined) {
      if (words.length === 0) begins = line
      words.push(value)
    } else if (mark === '{') {
      if (open.push(finish()) > MAX_DEPTH) throw createLineError(line, `is nested deeper than ${MAX_DEPTH}`)
    } else if (mark === ';' && words.length > 0) finish()
    else if (mark === '}' && (words.length > 0 || !open.pop())) throw createLineError(line, 'closes what is not open')
    line += whole.split('\n').length - 1
  }
  if (open.length > 0 || words.length > 0) throw createLineError(begins, 'the file ends within a declaration')
  return outer
}

const readHost = ({ words, inner, line }: Statement, findings: Findings): void => {
  const values = (...names: string[]): string[] =>
    inner
      .filter((one) => names.every((name, i) => one.words[i] === name))
      .flatMap((one) => one.words.slice(names.length).filter((word) => word !== ','))
  const [mac] = values('hardware', 'ethernet')
  const named = [...values('option', 'host-name'), ...values('ddns-hostname')]
  const hostname = named[0] ?? words[1] ?? ''
  const fixed = [...values('fixed-address'), ...values('fixed-address6')]
  const ips = fixed.filter((text) => parseIp(text))
  for (const value of fixed)
    if (!parseIp(value)) findings.report.left('host.fixed-address', 'is a name', { line, value })
  for (const value of values('fixed-prefix6'))
    findings.report.left('host.fixed-prefix6', 'is a prefix', { line, value })
  if (ips.length === 0) findings.leave('has no fixed address', { host: words[1], line })
  for (const ip of ips) findings.add({ ip, hostname, ...(mac !== undefined && { mac_address: mac }) })
}

const read = (statements: readonly Statement[], findings: Findings): void => {
  for (const statement of statements) {
    const [kind = ''] = statement.words
    if (kind === 'host') readHost(statement, findings)
    else if (statement.inner.length > 0 || kind === 'include')
      findings.report.left(kind, 'has no place in Plat but its hosts', statement.words.join(' '))
    if (kind !== 'host') read(statement.inner, findings)
  }
}

export const convertDhcpdConf: Converter = (bytes, options) => {
  const findings = new Findings('host', options)
  const statements = parseStatements(decodeText(bytes, '#'))
  if (statements.length === 0) throw createFileError('line 1', 'has no declaration of dhcpd')
  read(statements, findings)
  return findings.conversion('dhcpd.conf')
}
