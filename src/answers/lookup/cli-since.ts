/** The part of `plat whois` about who had an address since a moment. */
import { invalidField } from '../../contract/errors.ts'
import { parseIp } from '../../net/ip.ts'
import { parseSubject } from '../../net/subject.ts'
import { send } from '../../surfaces/cli/connection/client.ts'
import type { Session } from '../../surfaces/cli/parse/command.ts'
import { type AddressPresence, type Lookup, lookup } from './api.ts'

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Returns the time of `30d`; any other text is for the server to read. */
const toTime = (text: string, nowMs: number): string => {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  return count === undefined ? text : new Date(Math.max(0, nowMs - Number(count) * (UNITS_MS[unit] ?? 0))).toISOString()
}

export type Since = { readonly ip: string; readonly from: string; readonly space_id?: string }

/** @throws AppError VALIDATION_ERROR for a subject that is no address */
export const buildSince = (query: string, since: string, space: string | undefined): Since => {
  const subject = parseSubject(query)
  if (subject?.kind !== 'ip' || !parseIp(subject.text)) throw invalidField('since', 'only an address has had holders')
  return { ip: subject.text, from: toTime(since, Date.now()), ...(space !== undefined && { space_id: space }) }
}

export const findSince = async (
  transport: Awaited<ReturnType<Session['connect']>>['transport'],
  since: Since,
): Promise<AddressPresence> => {
  const response = await send(transport, lookup.presence, since)
  // The contract of the server ensures this type.
  return (await response.json()) as AddressPresence
}

const formatMoment = (timestamp: string): string => timestamp.slice(0, 16).replace('T', ' ')

/** Returns a line for each interval. */
export const formatHolders = ({ intervals }: AddressPresence, { networks = [] }: Lookup): string[] =>
  intervals.map(({ name, mac_address, from, to, source, network_id }) =>
    [
      `${formatMoment(from)} - ${to === null ? 'now' : formatMoment(to)}`,
      ...[name, mac_address, source],
      // Of one network it is said above.
      networks.length > 1 ? networks.find(({ id }) => id === network_id)?.name : '',
    ]
      .filter((text) => text !== undefined && text !== '')
      .join('  '),
  )
