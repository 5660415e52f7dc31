/** Reads additional fingerprints in recog's XML format. Nothing in the files is executed. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { SnmpSystem } from '../protocol.ts'
import { GENERIC_SYSTEMS, KERNELS } from '../snmp/generic-systems.ts'
import { cleanText } from './clean-text.ts'
import { isHttp, readHttp } from './http.ts'
import { type Identity, MOST_MATCHED } from './identify.ts'

export type Recog = {
  readonly refine: (banner: string, identity: Identity | undefined) => Identity | undefined
  /** Adds what the fingerprints know of an SNMP agent to a system that the rules know nothing of, or only the kernel. */
  readonly refineSystem: (agent: Agent, system: SnmpSystem) => SnmpSystem
}

type Agent = { readonly description: string; readonly objectId: string }

type Fingerprint = {
  readonly pattern: RegExp
  readonly params: ReadonlyMap<string, { readonly group: number; readonly value: string }>
}

const MOST_FILE_BYTES = 4 << 20
const MOST_FILES = 200

/** The service of each database, and the function that extracts the matched text from a banner. */
const KINDS: Readonly<
  Record<string, { readonly service: string; readonly text: (banner: string) => string | undefined }>
> = {
  'ssh.banner': { service: 'ssh', text: (banner) => /^SSH-[\d.]+-([^\r\n]*)/.exec(banner)?.[1] },
  'ftp.banner': { service: 'ftp', text: (banner) => /^220[ -]([^\r\n]*)/.exec(banner)?.[1] },
  'smtp.banner': { service: 'smtp', text: (banner) => /^220[ -]([^\r\n]*)/.exec(banner)?.[1] },
  'pop3.banner': { service: 'pop3', text: (banner) => /^\+OK ?([^\r\n]*)/.exec(banner)?.[1] },
  'imap4.banner': { service: 'imap', text: (banner) => /^\* OK ?([^\r\n]*)/.exec(banner)?.[1] },
  'telnet.banner': {
    service: 'telnet',
    text: (banner) => (banner.startsWith('\xff') ? banner.replace(/\xff[\xfb-\xfe]./gs, '') : undefined),
  },
  http_header: { service: 'http', text: (banner) => (isHttp(banner) ? readHttp(banner).server : undefined) },
  'http_header.server': { service: 'http', text: (banner) => (isHttp(banner) ? readHttp(banner).server : undefined) },
  'http_header.wwwauth': {
    service: 'http',
    text: (banner) => /^www-authenticate:[ \t]*([^\r\n]*)/im.exec(banner)?.[1],
  },
}

/** The text of each database of SNMP, in the order in which they are asked: an object identifier alone says less than a text. */
const SNMP_KINDS: Readonly<Record<string, (agent: Agent) => string>> = {
  'snmp.sys_object_id': ({ description, objectId }) => `${objectId} ${description}`,
  'snmp.sys_description': ({ description }) => description,
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const unescapeXml = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16) & 0xffff)
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal) & 0xffff)
    return Object.hasOwn(ENTITIES, name) ? (ENTITIES[name] ?? whole) : whole
  })

const parseAttributes = (tag: string): Map<string, string> =>
  new Map(
    [...tag.matchAll(/([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(([, name = '', a, b]) => [
      name,
      unescapeXml(a ?? b ?? ''),
    ]),
  )

/** Converts the syntax of Ruby. @throws SyntaxError for a pattern that JavaScript cannot express */
const toRegExp = (attributes: ReadonlyMap<string, string>): RegExp => {
  const text = attributes.get('pattern') ?? ''
  const isInsensitive = /^\(\?i\)|^\(\?i:/.test(text) || /REG_ICASE/.test(attributes.get('flags') ?? '')
  const source = text
    .replace(/^\(\?i\)/, '')
    .replace(/^\(\?i:/, '(?:')
    .replaceAll('\\A', '^')
    .replaceAll('\\z', '$')
    .replaceAll('\\Z', '$')
  if (text === '' || /\(\?[a-z-]+[:)]/.test(source.replaceAll('(?:', ''))) throw new SyntaxError('not JavaScript')
  return new RegExp(source, isInsensitive ? 'is' : 's')
}

const parseFingerprints = (xml: string): { kind: string; fingerprints: Fingerprint[]; skipped: number } => {
  const kind = parseAttributes(/<fingerprints\b([^>]*)>/.exec(xml)?.[1] ?? '').get('matches') ?? ''
  const fingerprints: Fingerprint[] = []
  let skipped = 0
  if (KINDS[kind] === undefined && SNMP_KINDS[kind] === undefined) return { kind, fingerprints, skipped }
  for (const [, head = '', body = ''] of xml.matchAll(/<fingerprint\b([^>]*)>([\s\S]*?)<\/fingerprint>/g)) {
    try {
      const params = [...body.matchAll(/<param\b([^>]*)>/g)].map(([, tag = '']) => parseAttributes(tag))
      const byName = params.map(
        (one) =>
          [one.get('name') ?? '', { group: Number(one.get('pos') ?? 0), value: one.get('value') ?? '' }] as const,
      )
      fingerprints.push({ pattern: toRegExp(parseAttributes(head)), params: new Map(byName) })
    } catch {
      skipped++
    }
  }
  return { kind, fingerprints, skipped }
}

const readFiles = async (folder: string): Promise<string[]> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.xml')).sort()
  const texts: string[] = []
  for (const name of names.slice(0, MOST_FILES)) {
    const path = join(folder, name)
    if ((await stat(path)).size <= MOST_FILE_BYTES) texts.push(await readFile(path, 'utf8'))
  }
  return texts
}

const createReader =
  ({ params }: Fingerprint, match: RegExpExecArray) =>
  (name: string): string => {
    const param = params.get(name)
    if (param === undefined) return ''
    const raw = param.group > 0 ? (match[param.group] ?? '') : param.value
    return cleanText(
      raw.replace(/\{([\w.]+)\}/g, (_, other) => match[params.get(other)?.group ?? -1] ?? ''),
      120,
    )
  }

const buildIdentity = (fingerprint: Fingerprint, match: RegExpExecArray, service: string): Identity => {
  const read = createReader(fingerprint, match)
  const os = [read('os.vendor'), read('os.product'), read('os.version')]
  return {
    service,
    product: read('service.product') || read('hw.product'),
    version: read('service.version'),
    // "Microsoft Windows Windows 10": the vendor is said once.
    os: os.filter((part, i) => part !== '' && !(i === 0 && os[1]?.startsWith(part))).join(' '),
  }
}

const findSystem = (
  databases: ReadonlyMap<string, readonly Fingerprint[]>,
  agent: Agent,
): Omit<SnmpSystem, 'serial'> | undefined => {
  for (const [kind, getText] of Object.entries(SNMP_KINDS)) {
    const text = getText(agent).slice(0, MOST_MATCHED)
    for (const fingerprint of databases.get(kind) ?? []) {
      const match = fingerprint.pattern.exec(text)
      if (match === null) continue
      const read = createReader(fingerprint, match)
      return {
        vendor: read('os.vendor') || read('hw.vendor'),
        system: read('os.product') || read('os.family'),
        version: read('os.version'),
        model: read('hw.product'),
      }
    }
  }
  return undefined
}

/** A folder that is not there is a note, not the end of the scan. */
export const openRecog = async (folder: string, note: (text: string) => void): Promise<Recog | undefined> => {
  const databases = new Map<string, Fingerprint[]>()
  let [count, skipped] = [0, 0]
  try {
    for (const xml of await readFiles(folder)) {
      const read = parseFingerprints(xml)
      if (read.fingerprints.length > 0)
        databases.set(read.kind, [...(databases.get(read.kind) ?? []), ...read.fingerprints])
      count += read.fingerprints.length
      skipped += read.skipped
    }
  } catch (error) {
    note(`the folder of fingerprints cannot be read: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
  note(`${count} fingerprints from the folder, ${skipped} that cannot be used here left out`)
  return {
    refineSystem: (agent, known) => {
      const isKnown = known.system !== '' && !GENERIC_SYSTEMS.has(known.system)
      const found = isKnown ? undefined : findSystem(databases, agent)
      // Fingerprints of a kernel match each appliance that is built on it.
      if (found === undefined || KERNELS.has(found.system)) return known
      return {
        vendor: known.vendor || found.vendor,
        system: found.system || known.system,
        version: found.version || known.version,
        model: known.model || found.model,
        serial: known.serial,
      }
    },
    refine: (banner, identity) => {
      for (const [kind, fingerprints] of databases) {
        const text = KINDS[kind]?.text(banner.slice(0, MOST_MATCHED))
        if (!text) continue
        for (const fingerprint of fingerprints) {
          const match = fingerprint.pattern.exec(text)
          if (match === null) continue
          const found = buildIdentity(fingerprint, match, KINDS[kind]?.service ?? '')
          // Theirs adds to ours and takes nothing away.
          return {
            service: identity?.service || found.service,
            product: identity?.product || found.product,
            version: identity?.version || found.version,
            os: found.os || identity?.os || '',
          }
        }
      }
      return identity
    },
  }
}
