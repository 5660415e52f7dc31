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
/** Most links of one device: a switch has no more neighbours than ports. */
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

/** Returns the two ports, and the sentence about them. */
const describePorts = ({
  localPort: local,
  remotePort: remote,
  remotePortDescription: description = '',
}: Pick<LldpNeighbour, 'localPort' | 'remotePort' | 'remotePortDescription'>): {
  because: string
  ports: LinkedPorts
} => {
  const because = `LLDP: ${local} to ${remote}`
  if (description === '' || parseMac(remote) === undefined) return { because, ports: { local, remote } }
  return { because: `${because} (${description})`, ports: { local, remote, description } }
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
  for (const { source, remoteChassis, remoteAddress, ...ports } of neighbours) {
    const key = parseIpKey(remoteAddress, space)
    const target = owners.get(toMacKey(remoteChassis)) ?? (key === undefined ? undefined : holders.get(key))
    if (target !== undefined && target !== source.id)
      addLink(links, source.id, {
        kind: 'neighbour',
        targetId: target,
        ...describePorts(ports),
      })
  }
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

/** @param ids discovered devices that reported neighbours or forwarding tables */
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
