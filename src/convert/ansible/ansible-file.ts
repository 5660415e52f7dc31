/** Reads an inventory of Ansible: INI, YAML, or the JSON of `ansible-inventory --list`. */
import { parse } from 'yaml'
import { isNestedDeeper } from '../../base/yaml/yaml-depth.ts'
import { isRecord } from '../../contract/unknown.ts'
import { createFileError } from '../converter.ts'
import { createLineError, decodeText } from '../hosts/text.ts'
import { ObjectLimit } from '../object-limit.ts'

export type Variables = Readonly<Record<string, unknown>>
export type Inventory = {
  readonly source: string
  /** The variables of each host. */
  readonly hosts: ReadonlyMap<string, Record<string, unknown>>
  /** The groups that a host stands in. */
  readonly groups: ReadonlyMap<string, ReadonlySet<string>>
  /** Variables of groups, by their groups. */
  readonly shared: ReadonlyMap<string, Variables>
}

const MAX_DEPTH = 32
/** The hosts of all ranges of a file. */
const MAX_EXPANDED = 65_536

/** The port behind a host, which may be a range or an IPv6 address in brackets. */
const PORT = /^((?:[^:[\]]|\[[^\]]*\])+):(\d+)$/

class Builder {
  readonly hosts = new Map<string, Record<string, unknown>>()
  readonly groups = new Map<string, Set<string>>()
  readonly shared = new Map<string, Variables>()
  readonly #limit = new ObjectLimit()
  #expanded = 0

  add(given: string, group: string, inventory: Variables): void {
    const [, address, port] = PORT.exec(given) ?? []
    const pattern = (address ?? given).replace(/^\[(.*:.*:.*)\]$/, '$1')
    const variables = port === undefined ? inventory : { ansible_port: port, ...inventory }
    for (const name of this.#expand(pattern)) {
      if (!this.hosts.has(name)) this.#limit.add()
      this.hosts.set(name, Object.assign(this.hosts.get(name) ?? {}, variables))
      const groups = this.groups.get(name) ?? new Set()
      this.groups.set(name, groups.add(group))
    }
  }

  share(group: string, variables: Variables): void {
    this.shared.set(group, { ...this.shared.get(group), ...variables })
  }

  /** Yields the names of a pattern: `web[01:20:2]`, `db-[a:f]`. */
  *#expand(pattern: string): Generator<string> {
    const match = /\[(?:(\d+):(\d+)|([a-z]):([a-z])|([A-Z]):([A-Z]))(?::(\d+))?\]/.exec(pattern)
    if (!match) {
      yield pattern
      return
    }
    const [whole, first, last, , , , , step = '1'] = match
    const letters = [match[3] ?? match[5], match[4] ?? match[6]]
    const toCode = (text: string | undefined, letter: string | undefined) =>
      letter === undefined ? Number(text) : letter.charCodeAt(0)
    const [from, to] = [toCode(first, letters[0]), toCode(last, letters[1])]
    for (let n = from; n <= to; n += Math.max(1, Number(step))) {
      if (++this.#expanded > MAX_EXPANDED)
        throw createFileError('the file', `has ranges of more than ${MAX_EXPANDED} hosts`)
      const text = first === undefined ? String.fromCharCode(n) : String(n).padStart(first.length, '0')
      yield* this.#expand(pattern.replace(whole, text))
    }
  }
}

/** The words of a line: blanks divide them, outside of quotes. */
const WORD = /(?:[^\s"'#]|"(?:[^"\\]|\\.)*"|'[^']*')+|#.*/g

const unquote = (text: string): string => text.replace(/^(["'])([\s\S]*)\1$/, '$2')

const parseVariable = (word: string): [string, string] => {
  const at = word.indexOf('=')
  return [word.slice(0, at).trim(), unquote(word.slice(at + 1).trim())]
}

const readIni = (text: string, builder: Builder): void => {
  let [group, part] = ['ungrouped', '']
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const trimmed = line.trim()
    if (trimmed === '' || /^[#;]/.test(trimmed)) continue
    const section = /^\[([^\]:]+)(?::(vars|children))?\]\s*(?:#.*)?$/.exec(trimmed)
    if (section) [group, part] = [section[1] ?? '', section[2] ?? '']
    else if (part === 'vars') builder.share(group, Object.fromEntries([parseVariable(trimmed)]))
    else if (part === '') {
      const words = (trimmed.match(WORD) ?? []).filter((word) => !word.startsWith('#'))
      const [name = '', ...variables] = words.map((word) => (word.includes('=') ? word : unquote(word)))
      const wrong = variables.find((word) => !word.includes('='))
      if (name === '' || name.includes('=') || wrong !== undefined)
        throw createLineError(index + 1, 'is no host of an inventory of Ansible')
      builder.add(name, group, Object.fromEntries(variables.map(parseVariable)))
    }
  }
}

const toVariables = (value: unknown): Variables => (isRecord(value) ? value : {})

/** A group of YAML: `hosts`, `children` and `vars`. */
const readGroup = (name: string, value: unknown, builder: Builder): void => {
  const { hosts, children, vars } = toVariables(value)
  const named = Array.isArray(hosts)
    ? hosts.map((host) => [String(host), {}] as const)
    : Object.entries(toVariables(hosts))
  for (const [host, variables] of named) builder.add(host, name, toVariables(variables))
  if (isRecord(vars)) builder.share(name, vars)
  for (const [child, inner] of Object.entries(toVariables(children)))
    if (isRecord(inner)) readGroup(child, inner, builder)
}

const parseYaml = (text: string): unknown => {
  if (isNestedDeeper(text, MAX_DEPTH)) throw createFileError('the file', `is nested deeper than ${MAX_DEPTH} levels`)
  try {
    return parse(text, { maxAliasCount: 100, logLevel: 'silent', uniqueKeys: false, prettyErrors: false })
  } catch (error) {
    throw createFileError('the file', `is no YAML: ${error instanceof Error ? error.message : error}`)
  }
}

/** The first line that is neither blank nor a comment: a mapping, its key, or the mark of a document. */
const YAML_START = /^(?:[^\S\n]*(?:#[^\n]*)?\n)*(?:\s*\{|---|["']?[\w.-]+["']?:(?:[^\S\n]|\r?\n))/

export const parseInventory = (bytes: Uint8Array): Inventory => {
  const text = decodeText(bytes, '#')
  const builder = new Builder()
  const isYaml = YAML_START.test(text)
  if (!isYaml) {
    readIni(text, builder)
    return { source: 'ini', ...pick(builder) }
  }
  const value = toVariables(parseYaml(text))
  const { _meta, ...groups } = value
  for (const [name, group] of Object.entries(groups)) readGroup(name, group, builder)
  const { hostvars } = toVariables(_meta)
  for (const [host, variables] of Object.entries(toVariables(hostvars)))
    builder.add(host, 'ungrouped', toVariables(variables))
  return { source: _meta === undefined ? 'yaml' : 'json', ...pick(builder) }
}

const pick = ({ hosts, groups, shared }: Builder) => ({ hosts, groups, shared })
