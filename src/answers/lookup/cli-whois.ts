/** Implements `plat whois`: requests the lookup, and prints its summary and the known objects. */

import { parse } from '../../contract/validate.ts'
import { send } from '../../surfaces/cli/connection/client.ts'
import { resolve } from '../../surfaces/cli/execute.ts'
import { cut, padEnd, toPrintable } from '../../surfaces/cli/output/display.ts'
import { present } from '../../surfaces/cli/output/present.ts'
import { requireArguments } from '../../surfaces/cli/parse/args.ts'
import { createArgument, getText, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { collectReferences, createNames, getMoment } from '../../surfaces/cli/parse/names.ts'
import { type AddressPresence, type Lookup, lookup } from './api.ts'
import { buildSince, findSince, formatHolders } from './cli-since.ts'

/** The same code as for an unknown object. */
const EXIT_UNKNOWN = 4
/** The number of entries of each list in the text; other formats print all. */
const SHOWN = 8
const LABEL_WIDTH = 13

type Line = readonly [label: string, text: string]

const joinParts = (...parts: readonly (string | undefined | null | false)[]): string =>
  parts.filter((part) => typeof part === 'string' && part !== '').join('  ')

/** Returns a UTC time without seconds. */
const formatMoment = (timestamp: string): string => timestamp.slice(0, 16).replace('T', ' ')

const formatSection = <T>(label: string, all: readonly T[] | undefined, text: (one: T) => string): Line[] => {
  const lines = (all ?? []).slice(0, SHOWN).map((one, i): Line => [i === 0 ? label : '', text(one)])
  const rest = (all ?? []).length - lines.length
  return rest > 0 ? [...lines, ['', `and ${rest} more`]] : lines
}

/** Returns the caller's name, for an API key with its owner. */
const formatCaller = ({ username, key_owner }: { readonly username: string; readonly key_owner: string }): string =>
  key_owner === '' ? username : `${username} (key of ${key_owner})`

const formatVlan = (id: number | null): string => (id === null ? '' : `VLAN ${id}`)

const formatDevices = ({ devices = [] }: Lookup): Line[] =>
  formatSection('device', devices, ({ name, hostname, status, os, make_model, location, tags }) =>
    joinParts(
      name,
      hostname !== name && hostname,
      status,
      os,
      make_model,
      location,
      tags.map((tag) => `#${tag}`).join(' '),
    ),
  )

const formatAddresses = ({ devices: [device, ...others] = [], kind }: Lookup): Line[] =>
  device && others.length === 0 && kind !== 'cidr'
    ? formatSection(
        'addresses',
        device.addresses,
        ({ ip, port, label, dns_name, mac_address, interface: own, switch_port }) =>
          joinParts(
            port === null ? ip : `${ip} port ${port}`,
            label,
            dns_name,
            mac_address,
            own && `on ${own}`,
            switch_port && `at ${switch_port}`,
          ),
      )
    : []

const formatRelations = ({ relationships = [], devices = [] }: Lookup): Line[] => {
  const own = new Set(devices.map(({ id }) => id))
  const words = {
    contains: ['contains', 'is in'],
    connected_to: ['connected to', 'connected to'],
    depends_on: ['depends on', 'needed by'],
  } as const
  const said = relationships.map(({ type, parent_id, parent_name, child_id, child_name }) => {
    const isParent = own.has(parent_id)
    return { label: words[type][isParent ? 0 : 1], name: (isParent ? child_name : parent_name) ?? child_id }
  })
  return [...Map.groupBy(said, ({ label }) => label)].map(([label, all]): Line => {
    const names = all.slice(0, SHOWN).map(({ name }) => name)
    return [label, `${names.join(', ')}${all.length > SHOWN ? ` and ${all.length - SHOWN} more` : ''}`]
  })
}

type Shown = Lookup & { readonly presence?: AddressPresence }

const formatLines = (answer: Shown): Line[] => [
  ...formatSection('network', answer.networks, (one) => joinParts(one.name, one.subnet, formatVlan(one.vlan_id))),
  ...formatSection('holds', answer.inside, (one) => joinParts(one.name, one.subnet, formatVlan(one.vlan_id))),
  ...formatSection('pool', answer.pools, ({ name, start_ip, end_ip }) => joinParts(name, `${start_ip} - ${end_ip}`)),
  ...formatSection('datacenter', answer.datacenters, ({ name, location }) => joinParts(name, location)),
  ...formatDevices(answer),
  ...formatAddresses(answer),
  ...formatRelations(answer),
  ...formatSection(
    'reserved',
    answer.reservations,
    ({ ip_address, hostname, mac_address, purpose, expires_at, created_by }) =>
      joinParts(
        ip_address,
        hostname,
        mac_address,
        purpose,
        `by ${created_by}`,
        expires_at && `until ${formatMoment(expires_at)}`,
      ),
  ),
  ...formatSection(
    'seen',
    answer.discovered,
    ({ ip, hostname, mac_address, vendor, os_guess, status, last_seen, lease_expires_at }) =>
      joinParts(
        ip,
        hostname,
        mac_address,
        vendor,
        os_guess,
        `${status}, last ${formatMoment(last_seen)}`,
        lease_expires_at && `lease until ${formatMoment(lease_expires_at)}`,
      ),
  ),
  ...(answer.presence ? formatSection('had it', formatHolders(answer.presence, answer), (text) => text) : []),
  ...formatSection('value of', answer.objects, ({ resource, name, field }) =>
    joinParts(name, `${field} of ${resource}`),
  ),
  ...formatSection('conflict', answer.conflicts, ({ description, status }) =>
    joinParts(description, status === 'ignored' && status),
  ),
  ...formatSection('changed', answer.changes, ({ timestamp, username, key_owner, action, resource, status }) =>
    joinParts(
      formatMoment(timestamp),
      `${formatCaller({ username, key_owner })} ${action} ${resource}`,
      status === 'failure' && 'failed',
    ),
  ),
  ...formatSection('to take it', answer.ways, ({ command }) => command),
  ...formatSection('elsewhere', answer.elsewhere, ({ space, summary }) => `${space}: ${summary}`),
  ...formatSection(
    'not shown',
    answer.withheld.length > 0 ? [answer.withheld.join(', ')] : [],
    (text) => `${text}: not permitted`,
  ),
]

/** Commands are for copying, so they are never cut. */
const isCuttable = ([label, text]: Line): boolean => label !== 'to take it' && !text.startsWith('plat ')

export const formatWhois = (answer: Shown, columns: number | undefined): string => {
  const lines = formatLines(answer).map((line): string => {
    const [label, text] = line
    const whole = `  ${padEnd(label, LABEL_WIDTH)}${toPrintable(text)}`
    return columns === undefined || !isCuttable(line) ? whole : cut(whole, columns)
  })
  return `${[toPrintable(answer.summary), ...lines].join('\n')}\n`
}

export const whois = async (session: Session, texts: Texts): Promise<number> => {
  requireArguments(texts, [createArgument('query', '')])
  const as_of = getText(texts, 'as-of')
  const space = getText(texts, 'space')
  const input = {
    query: getText(texts, 'query') ?? '',
    ...(as_of !== undefined && { as_of }),
    ...(space !== undefined && { space_id: space }),
  }
  const since = getText(texts, 'since')
  const asked = since === undefined ? undefined : buildSince(input.query, since, space)
  // Validates the input before the request, like every operation.
  parse(lookup.show.input, input)
  if (asked) parse(lookup.presence.input, asked)
  const { transport } = await session.connect()
  const names = createNames(transport, await session.program.contracts(), getMoment(lookup.show, input))
  await resolve(names, collectReferences(lookup.show, input).elsewhere)
  const response = await send(transport, lookup.show, input)
  const { globals, io } = session
  // The contract of the server ensures this type.
  const found = (await response.clone().json()) as Lookup
  const answer = asked ? { ...found, presence: await findSince(transport, asked) } : found
  if (globals.output === 'table' && !globals.isQuiet)
    await io.stdout.write(formatWhois(answer, io.stdout.isTty ? io.stdout.columns : undefined))
  else await present(session, { op: lookup.show, transport, response: asked ? Response.json(answer) : response })
  return answer.known ? 0 : EXIT_UNKNOWN
}
