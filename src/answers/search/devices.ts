/** Finds devices, and devices that scans have found. */
import { matchFoundWord } from '../../discovery/discovery.ts'
import type { DiscoveredDevice } from '../../discovery/schema.ts'
import { findDevices } from '../../inventory/devices/list/search.ts'
import { findText } from '../../inventory/devices/list/search-text.ts'
import type { Device } from '../../inventory/devices/schema.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { readFirstRows } from '../../kernel/list.ts'
import { formatIp, fromIpKey } from '../../net/ip.ts'
import { parseMac } from '../../net/mac.ts'
import { toNameKey } from '../../net/name-order.ts'
import { holdsWord, type Word } from '../../net/words/word.ts'
import { loadSearchedNames } from '../../resource/custom/rows.ts'
import { MAX_RESULTS_PER_TYPE } from './api.ts'
import { findMatch, type Match, type Query } from './matches.ts'
import { isInRange, pickFirstInside, type Range } from './ranges.ts'
import type { Ranked } from './results.ts'

/** The fields with texts that name a device. Devices come in the order of their own search. */
const NAMING = new Set(['name', 'hostname', 'addresses.ip', 'addresses.mac_address'])

const toName = ({ name }: Device): Match => ({ match: name, field: 'name', rank: 2 })

/** Returns the text of a device that was found. The search itself has decided that it is found. */
const findMatchOfDevice = (
  device: Device,
  { query, range, searchable }: { query: Query; range: Range | undefined; searchable: readonly string[] },
): Match => {
  const ip =
    range &&
    pickFirstInside(
      device.addresses.map((address) => address.ip),
      range,
    )
  if (ip) return { match: ip, field: 'addresses.ip', rank: range.first === range.last ? 0 : 2 }
  let found: Match | undefined
  const look = (word: Word): boolean =>
    findText(device, searchable, (text, field) => {
      const low = toNameKey(text)
      if (!holdsWord(low, word)) return false
      found = { match: text, field, rank: NAMING.has(field) && word.includes(low) ? 0 : 2 }
      return true
    })
  const [first = query.whole] = query.words
  if (look(query.whole) || look(first)) return found ?? toName(device)
  const mac = parseMac(query.text)
  if (mac !== undefined) return { match: mac, field: 'ports.mac_address', rank: 0 }
  return toName(device)
}

export const searchDevices = async (
  ctx: Ctx,
  q: string,
  { query, range }: { readonly query: Query; readonly range: Range | undefined },
): Promise<Ranked[]> => {
  const { queries } = await findDevices(ctx, q)
  const searchable = await loadSearchedNames(ctx, 'devices')
  const rows = (await Array.fromAsync(readFirstRows(ctx, queries, { count: MAX_RESULTS_PER_TYPE }))).flat()
  return rows.map(({ doc }) => {
    // The column holds the JSON of a device.
    const device = JSON.parse(doc) as Device
    const { match, field, rank } = findMatchOfDevice(device, { query, range, searchable })
    return { result: { type: 'device', id: device.id, name: device.name, match, field }, rank }
  })
}

/** Selects by the index of networks, which covers this query: otherwise all documents would be read. */
const selectFirstInRange = (ctx: Ctx, range: Range) =>
  ctx.db
    .selectFrom('discovered_devices')
    .select('id')
    .where(isInRange('discovered_devices', range))
    .orderBy('ip_key')
    .orderBy('id')
    .limit(MAX_RESULTS_PER_TYPE)

/** For callers who may list devices, documented ones are found as devices. */
export const searchDiscovered = async (ctx: Ctx, query: Query, range: Range | undefined): Promise<Ranked[]> => {
  let rows = ctx.db.selectFrom('discovered_devices').select('doc')
  const isUndocumented = ctx.caller.permissions.has('devices:list')
  if (isUndocumented) rows = rows.where('matched_device_id', 'is', null)
  // An address may not be the device's first. The text contains all of them, one per line.
  const isOne = range !== undefined && range.first === range.last
  const words = isOne ? [[`\n${formatIp(fromIpKey(range.first))}\n`]] : query.words
  if (range && !isOne)
    rows = isUndocumented
      ? rows.where(isInRange('discovered_devices', range))
      : rows.where('id', 'in', selectFirstInRange(ctx, range))
  else for (const word of words) rows = rows.where(({ or }) => or(word.map(matchFoundWord)))
  const found = await rows.orderBy('ip_key').orderBy('id').limit(MAX_RESULTS_PER_TYPE).execute()
  return found.map(({ doc }) => {
    // The column holds the JSON of a discovered device.
    const { id, ip, hostname, mac_address, vendor, os_guess, addresses, services } = JSON.parse(doc) as DiscoveredDevice
    const ips = addresses.map((address) => address.ip)
    const inside = range && pickFirstInside(ips, range)
    const pieces = [
      { field: 'hostname', text: hostname },
      ...[ip, ...ips].map((text) => ({ field: 'addresses.ip', text })),
      ...Object.entries({ mac_address, vendor, os_guess }).map(([field, text]) => ({ field, text })),
      ...services.flatMap(({ service, product }) => [
        { field: 'services.service', text: service },
        { field: 'services.product', text: product },
      ]),
    ]
    const match: Match =
      inside !== undefined
        ? { match: inside, field: 'addresses.ip', rank: isOne ? 0 : 2 }
        : (findMatch(pieces, query) ?? { match: ip, field: 'addresses.ip', rank: 2 })
    const { rank, ...shown } = match
    return { result: { type: 'discovered_device', id, name: hostname || ip, ...shown }, rank }
  })
}
