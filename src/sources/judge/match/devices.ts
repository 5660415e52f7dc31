/** Decides which device a row of a source means. In doubt a person decides. */

import { createBreathe } from '../../../base/runtime/pause.ts'
import { toText } from '../../../contract/unknown.ts'
import { isIdentifying } from '../../../discovery/devices/identity.ts'
import { findIdsByRefs } from '../../../exchange/apply/objects.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { isRandomMac, parseMac } from '../../../net/mac.ts'
import { toNameKey } from '../../../net/name-order.ts'
import { mapBreathing } from '../map-breathing.ts'
import { findLinks, formatKey, type Link } from '../object-reads.ts'
import { areApart, type JudgedSource, listAddresses, listRefs, type OpenRow, parseFields } from '../row.ts'
import {
  createSpaceFinder,
  type Found,
  findByAddresses,
  findByLabels,
  findByMacs,
  findBySerials,
  findDeviceNames,
  toAddressKey,
  toLabel,
} from './lookups.ts'
import { findLastBegins } from './run-times.ts'

export type Match =
  /** @param forgets links of rows that are missing, and of which this row takes the device */
  | { readonly is: 'found'; readonly id: string; readonly because: string; readonly forgets: readonly Link[] }
  | { readonly is: 'new' }
  | { readonly is: 'unclear'; readonly message: string }

/** The devices that one rule finds, and the words for it. */
type Evidence = { readonly by: 'host' | 'ref' | 'MAC' | 'serial' | 'name'; readonly ids: Map<string, string> }

type Row = {
  readonly open: OpenRow
  readonly refs: readonly (readonly [string, string])[]
  readonly macs: readonly string[]
  readonly serial: string
  readonly labels: readonly string[]
  readonly addresses: readonly string[]
}

/** The kinds with a host that may be named by the id of its device. */
const HOST_KINDS: ReadonlySet<string> = new Set(['docker', 'libvirt'])

const listMacs = ({ stored }: OpenRow): string[] => {
  if (stored.type === 'container') return []
  const macs: unknown = JSON.parse(stored.macs)
  return (Array.isArray(macs) ? macs : []).flatMap((mac) => {
    const parsed = parseMac(toText(mac))
    return parsed !== undefined && isIdentifying(parsed) && !isRandomMac(parsed) ? [parsed] : []
  })
}

const readSerial = ({ stored, fields }: OpenRow, { custom }: JudgedSource): string => {
  const own = toText(fields.serial).trim()
  if (own !== '') return toNameKey(own)
  const fact = Object.entries(parseFields(custom)).find(([, field]) => field === 'serial')?.[0]
  return fact === undefined ? '' : toNameKey(toText(parseFields(stored.facts)[fact]).trim())
}

const merge = (found: Found, keys: readonly string[], toWord: (key: string) => string): Map<string, string> => {
  const ids = new Map<string, string>()
  for (const key of keys) for (const id of found.get(key) ?? []) if (!ids.has(id)) ids.set(id, toWord(key))
  return ids
}

type Lookups = {
  readonly hosts: ReadonlySet<string>
  readonly refs: ReadonlyMap<string, string>
  readonly macs: Found
  readonly serials: Found
  readonly labels: Found
  readonly addresses: Found
}

const lookUp = async (ctx: Ctx, source: JudgedSource, rows: readonly Row[]): Promise<Lookups> => {
  const host = HOST_KINDS.has(source.kind) ? toText(parseFields(source.options).host) : ''
  return {
    hosts: new Set(host === '' ? [] : (await findDeviceNames(ctx, [host])).keys()),
    refs: await findIdsByRefs(
      ctx,
      'devices',
      rows.flatMap(({ refs }) => refs),
    ),
    macs: await findByMacs(
      ctx,
      rows.flatMap(({ macs }) => macs),
    ),
    serials: await findBySerials(
      ctx,
      rows.flatMap(({ serial }) => (serial === '' ? [] : [serial])),
    ),
    labels: await findByLabels(
      ctx,
      rows.flatMap(({ labels }) => labels),
    ),
    addresses: await findByAddresses(
      ctx,
      rows.flatMap(({ addresses }) => addresses),
    ),
  }
}

const listEvidence = ({ open, refs, macs, serial, labels, addresses }: Row, found: Lookups): Evidence[] => {
  const isHost = open.stored.type === 'host'
  const byRef = new Map<string, string>()
  for (const [source, ref] of refs) {
    const id = found.refs.get(`${source} ${ref}`)
    if (id !== undefined) byRef.set(id, `ref ${source}:${ref}`)
  }
  const named = merge(found.labels, labels, () => 'name and address')
  const placed = merge(found.addresses, addresses, () => '')
  return [
    { by: 'host', ids: new Map(isHost ? [...found.hosts].map((id) => [id, 'options.host']) : []) },
    { by: 'ref', ids: byRef },
    { by: 'MAC', ids: merge(found.macs, macs, (mac) => `MAC ${mac}`) },
    { by: 'serial', ids: merge(found.serials, serial === '' ? [] : [serial], () => 'serial number') },
    { by: 'name', ids: new Map([...named].filter(([id]) => placed.has(id))) },
  ]
}

const listAllIds = (rows: readonly Row[], found: Lookups): string[] => [
  ...found.hosts,
  ...found.refs.values(),
  ...[found.macs, found.serials, found.labels, found.addresses].flatMap((one) =>
    [...one.values()].flatMap((ids) => [...ids]),
  ),
  ...rows.flatMap(({ open }) => open.stored.object_id ?? []),
]

/** The links of all candidates, and the time at which the sources have last begun a run that is completed. */
class Links {
  readonly #links: ReadonlyMap<string, readonly Link[]>
  readonly #begins: ReadonlyMap<string, string>
  readonly #source: JudgedSource

  constructor(source: JudgedSource, links: ReadonlyMap<string, readonly Link[]>, begins: ReadonlyMap<string, string>) {
    this.#source = source
    this.#links = links
    this.#begins = begins
  }

  #listOthers({ open: { stored } }: Row, id: string): Link[] {
    const own = { source_id: this.#source.id, kind: this.#source.kind, type: stored.type }
    return (this.#links.get(id) ?? []).filter(
      (link) =>
        link.resource === 'devices' &&
        !(link.source_id === own.source_id && link.key === stored.key) &&
        areApart(own, link),
    )
  }

  /** Returns the rows that are said, and for which the device is no candidate of this row. */
  listHolders(row: Row, id: string): Link[] {
    return this.#listOthers(row, id).filter(({ missing_since }) => missing_since === null)
  }

  listMissing(row: Row, id: string): Link[] {
    return this.#listOthers(row, id).filter(({ missing_since }) => missing_since !== null)
  }

  /** True while the other source has not looked again since the row was there. */
  isWaiting({ open: { stored } }: Row, { source_id }: Link): boolean {
    if (source_id === this.#source.id) return false
    return (this.#begins.get(source_id) ?? '') <= stored.first_seen_at
  }
}

type Names = ReadonlyMap<string, string>
const quote = (names: Names, id: string): string => `"${names.get(id) ?? id}"`

/** Devices that a message names. */
const MAX_NAMED = 3

const listNames = (names: Names, ids: readonly string[]): string =>
  ids
    .slice(0, MAX_NAMED)
    .map((id) => quote(names, id))
    .join(', ')

type Judging = { readonly found: Lookups; readonly links: Links; readonly names: Names }

const matchOne = (row: Row, { found, links, names }: Judging): Match => {
  const isFree = (id: string) => links.listHolders(row, id).length === 0
  for (const { by, ids } of listEvidence(row, found)) {
    const free = [...ids.keys()].filter(isFree).sort()
    const [id] = free
    if (free.length > 1)
      return { is: 'unclear', message: `may be any of ${free.length} devices by its ${by}: ${listNames(names, free)}` }
    if (id !== undefined) return { is: 'found', id, because: ids.get(id) ?? by, forgets: links.listMissing(row, id) }
    if (by !== 'ref' && by !== 'MAC') continue
    for (const taken of ids.keys()) {
      const waiting = links.listHolders(row, taken).find((link) => links.isWaiting(row, link))
      if (waiting)
        return {
          is: 'unclear',
          message: `has the ${by} of the device ${quote(names, taken)}, which the source "${waiting.source}" says too: the next run of that source decides`,
        }
    }
  }
  const doubts = [
    ...merge(found.labels, row.labels, () => 'has its name'),
    ...merge(found.addresses, row.addresses, () => 'has one of its addresses'),
  ].filter(([id]) => isFree(id))
  const [doubt] = doubts.sort(([a], [b]) => (a < b ? -1 : 1))
  if (doubt)
    return {
      is: 'unclear',
      message: `the device ${quote(names, doubt[0])} ${doubt[1]}: link it, or say that it is another one`,
    }
  return { is: 'new' }
}

/** Finds the devices of rows without a link, by `formatKey`. */
export const matchDevices = async (
  ctx: Ctx,
  source: JudgedSource,
  open: readonly OpenRow[],
): Promise<ReadonlyMap<string, Match>> => {
  if (open.length === 0) return new Map()
  const findSpace = await createSpaceFinder(ctx)
  const breathe = createBreathe(ctx.signal)
  const rows = await mapBreathing(open, breathe, (one): Row => {
    const texts = [one.fields.name, one.fields.hostname].map(toText).map(toLabel)
    return {
      ...{ open: one, refs: listRefs(one.fields), macs: listMacs(one), serial: readSerial(one, source) },
      labels: [...new Set(texts.filter((label) => label !== ''))],
      addresses: listAddresses(one.fields).flatMap((address) => toAddressKey(address, findSpace) ?? []),
    }
  })
  const found = await lookUp(ctx, source, rows)
  const ids = listAllIds(rows, found)
  const byId = await findLinks(ctx, ids)
  const others = new Set([...byId.values()].flatMap((links) => links.map(({ source_id }) => source_id)))
  const links = new Links(source, byId, await findLastBegins(ctx, [...others]))
  const names = await findDeviceNames(ctx, ids)
  const pairs = await mapBreathing(
    rows,
    breathe,
    (row) => [formatKey(row.open.stored), matchOne(row, { found, links, names })] as const,
  )
  const matches = new Map(pairs)
  return refuseShared(matches, names)
}

/** Several rows of one device are unclear. */
const refuseShared = (matches: Map<string, Match>, names: Names): ReadonlyMap<string, Match> => {
  const byDevice = Map.groupBy(
    [...matches].filter(([, match]) => match.is === 'found'),
    ([, match]) => (match.is === 'found' ? match.id : ''),
  )
  for (const [id, rows] of byDevice)
    if (rows.length > 1)
      for (const [key] of rows)
        matches.set(key, { is: 'unclear', message: `${rows.length} rows may be the device ${quote(names, id)}` })
  return matches
}
