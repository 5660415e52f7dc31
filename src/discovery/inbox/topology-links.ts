/** Derives links between discovered devices from forwarding tables of switches and from LLDP. */

import { pause } from '../../base/runtime/pause.ts'
import { splitBatches } from '../../database/query/batches.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { DEFAULT_SPACE, getSpaceKey, parseIpKey } from '../../net/ip.ts'
import { isMulticastMac, parseMac } from '../../net/mac.ts'
import type { LldpNeighbour, SnmpFacts } from '../../scanner/protocol.ts'
import * as queries from '../devices/discovered-queries.ts'
import * as store from '../devices/discovered-store.ts'
import type { DiscoveredRecord } from '../devices/records.ts'
import { processInBatches } from '../scans/batches.ts'
import { classify, toDrafts } from './classify.ts'
import type { Link, LinkedPorts } from './findings.ts'

const CHUNK = 100
/** Most links of one device: a switch has no more neighbors than ports. */
const MAX_LINKS = 128

type Account = { readonly source: DiscoveredRecord; readonly facts: SnmpFacts }

const listAccounts = (source: DiscoveredRecord): Account[] =>
  [...source.addresses.values()].flatMap(({ observation }) =>
    observation.snmp ? [{ source, facts: observation.snmp }] : [],
  )

/** Returns MACs that no other shares a port with: a port with several has another switch behind it. */
const listSingleMacs = ({ forwarding }: SnmpFacts): { mac: string; port: string }[] => {
  const macs = forwarding.filter(({ mac, port }) => port !== '' && parseMac(mac) !== undefined && !isMulticastMac(mac))
  const byPort = Map.groupBy(macs, ({ port }) => port)
  return [...byPort.values()].flatMap((all) => {
    const [only] = all
    return only && new Set(all.map(({ mac }) => mac)).size === 1 ? [only] : []
  })
}

const toMacKey = (mac: string): string => `mac:${parseMac(mac) ?? ''}`

/** Links by the id of their discovered device. */
type Links = Map<string, Link[]>

const addLink = (links: Links, id: string, link: Link): void => {
  links.set(id, [...(links.get(id) ?? []), link])
}

type Interface = SnmpFacts['interfaces'][number]

/** Returns the name of the interface that the neighbor means; of several, none. */
const findInterface = (
  { remotePort, remotePortDescription = '' }: LldpNeighbour,
  interfaces: readonly Interface[],
): string | undefined => {
  const find = (text: string, read: (one: Interface) => string | undefined): string | undefined => {
    const [only, ...others] = interfaces.filter((one) => read(one)?.toLowerCase() === text.toLowerCase())
    return text === '' || others.length > 0 ? undefined : only?.name
  }
  for (const text of [remotePort, remotePortDescription]) {
    const found = find(text, ({ name }) => name) ?? find(text, ({ description }) => description)
    if (found) return found
  }
  return find(parseMac(remotePort) ?? '', ({ mac }) => mac)
}

/** The port of the neighbor: an interface that it has itself reported, else what LLDP calls it. */
const findRemotePort = (
  neighbour: LldpNeighbour,
  interfaces: readonly Interface[],
): Omit<LinkedPorts, 'local'> | undefined => {
  const { remotePort: remote, remotePortDescription: description = '', remotePortIsName = true } = neighbour
  const known = findInterface(neighbour, interfaces)
  if (known !== undefined) return { remote: known }
  if (parseMac(remote) !== undefined) return description === '' ? { remote } : { remote, description }
  // A device that lists its interfaces has no other port; a bare number names none.
  return interfaces.length > 0 || !remotePortIsName || remote === '' ? undefined : { remote }
}

/** Returns the two ports, if both are those of interfaces, and the sentence about them. */
const describePorts = (
  neighbour: LldpNeighbour,
  interfaces: readonly Interface[],
): { because: string; ports?: LinkedPorts } => {
  const { protocol = 'lldp', localPort: local, remotePort, remotePortDescription: description = '' } = neighbour
  const isMac = parseMac(remotePort) !== undefined
  const remote = isMac && description !== '' ? `${remotePort} (${description})` : remotePort
  const because = `${protocol.toUpperCase()}: ${local || 'a port without a name'} to ${remote || 'a port without a name'}`
  const there = local === '' ? undefined : findRemotePort(neighbour, interfaces)
  return there ? { because, ports: { local, ...there } } : { because }
}

/** Names of neighbors as host names are stored: whole, and the host name without its domain. */
const listNames = ({ remoteName }: LldpNeighbour): string[] => {
  const name = remoteName.toLowerCase()
  return name === '' ? [] : [...new Set([name, name.split('.')[0] ?? ''])]
}

/** Returns the interfaces that discovered devices have reported, by the id of the device. */
const loadInterfaces = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, Interface[]>> => {
  const { byId } = await store.loadByIds(ctx, ids)
  return new Map([...byId].map(([id, record]) => [id, [...(listAccounts(record)[0]?.facts.interfaces ?? [])]] as const))
}

const findLinks = async (ctx: Ctx, where: queries.Where, told: readonly Account[]): Promise<Links> => {
  const { networkId, space } = where
  const links: Links = new Map()
  const learnt = told.flatMap(({ source, facts }) => listSingleMacs(facts).map((one) => ({ ...one, source })))
  const neighbours = told.flatMap(({ source, facts }) => facts.lldp.map((one) => ({ ...one, source })))
  const owners = await queries.findOwners(ctx, where, [
    ...learnt.map(({ mac }) => toMacKey(mac)),
    ...neighbours.map(({ remoteChassis }) => toMacKey(remoteChassis)),
  ])
  const addresses = neighbours.flatMap(({ remoteAddress }) => parseIpKey(remoteAddress, space) ?? [])
  const holders = await queries.findHolders(ctx, networkId, addresses)
  for (const { mac, port, source } of learnt) {
    const target = owners.get(toMacKey(mac))
    const name = source.doc?.hostname || source.doc?.ip
    if (target !== undefined && target !== source.id)
      addLink(links, target, {
        kind: 'switch_port',
        mac,
        port,
        sourceId: source.id,
        because: `${name} learnt ${mac} there`,
      })
  }
  const named = await queries.findByNames(ctx, space, [...new Set(neighbours.flatMap(listNames))])
  const findTarget = (one: LldpNeighbour): string | undefined => {
    const key = parseIpKey(one.remoteAddress, space)
    const byName = () => listNames(one).flatMap((name) => named.get(name) ?? [])[0]
    return owners.get(toMacKey(one.remoteChassis)) ?? (key === undefined ? undefined : holders.get(key)) ?? byName()
  }
  const found = neighbours.flatMap(({ source, ...one }) => {
    const targetId = findTarget(one)
    return targetId === undefined || targetId === source.id ? [] : [{ source, one, targetId }]
  })
  const interfaces = await loadInterfaces(
    ctx,
    found.map(({ targetId }) => targetId),
  )
  for (const { source, one, targetId } of found)
    addLink(links, source.id, {
      kind: 'neighbour',
      targetId,
      ...describePorts(one, interfaces.get(targetId) ?? []),
    })
  return links
}

/** Replaces the earlier links of the same sources. */
const mergeLinks = (record: DiscoveredRecord, fresh: readonly Link[], sources: ReadonlySet<string>): Link[] => {
  const kept = store
    .parseLinks(record.row)
    .filter((link) => !sources.has(link.kind === 'switch_port' ? link.sourceId : record.id))
  return [...fresh, ...kept].slice(0, MAX_LINKS)
}

type Told = { readonly links: Links; readonly sources: ReadonlySet<string> }

const save = async (ctx: Ctx, { links, sources }: Told, ids: readonly string[]): Promise<void> => {
  const { byId } = await store.loadByIds(ctx, ids)
  const drafts = [...byId.values()].flatMap((record) => {
    const after = mergeLinks(record, links.get(record.id) ?? [], sources)
    const isSame = JSON.stringify(after) === record.row?.links
    return isSame ? [] : toDrafts(record, { links: after })
  })
  for (const [networkId, all] of Map.groupBy(drafts, ({ device }) => device.network_id))
    await store.save(ctx, await classify(ctx, networkId, all))
}

/** @param ids discovered devices that reported neighbors or forwarding tables */
export const updateTopologyLinks = async (ctx: Ctx, networkId: string, ids: readonly string[]): Promise<void> => {
  for (const batch of splitBatches(ids, CHUNK)) {
    const { byId } = await store.loadByIds(ctx, batch)
    const [first] = byId.values()
    const space = getSpaceKey(first?.row?.ip_key ?? DEFAULT_SPACE)
    const told = {
      links: await findLinks(ctx, { networkId, space }, [...byId.values()].flatMap(listAccounts)),
      sources: new Set(batch),
    }
    const concerned = new Set([...batch, ...told.links.keys(), ...(await queries.findLinkedIds(ctx, batch))])
    await processInBatches(ctx, { items: [...concerned] }, async (tx, some) => {
      await save(tx, told, some)
      return true
    })
  }
}

/** Removes the links that these devices reported, because they are down or about to be deleted. */
export const removeTopologyLinks = async (ctx: Ctx, ids: readonly string[]): Promise<void> => {
  const concerned = new Set<string>()
  for (const [i, some] of splitBatches(ids).entries()) {
    if (i > 0) await pause()
    for (const id of await queries.findLinkedIds(ctx, some)) concerned.add(id)
  }
  for (const [i, some] of splitBatches([...concerned], CHUNK).entries()) {
    if (i > 0) await pause()
    await save(ctx, { links: new Map(), sources: new Set(ids) }, some)
  }
}
