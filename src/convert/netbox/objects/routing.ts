/** AS numbers, route targets, services, VPNs, wireless networks, and the values of VRFs and aggregates. */
import type { Line } from '../../report-builder.ts'
import { compressNumbers } from '../../rows/number-ranges.ts'
import { markTaken, type RowRef, toRef } from '../mapping.ts'
import type { Target } from '../model.ts'
import { parseList } from '../read/lists.ts'
import { listIn, type NetboxObject } from '../read/objects.ts'
import { formatInterface } from './circuits.ts'
import { FHRP_GROUP, toOwnerRef } from './machines.ts'
import {
  dedupeRefs,
  groupBy,
  type KindSpec,
  listUnlisted,
  removeMask,
  type SpecContext,
  type SpecFactory,
  toInteger,
  toLabel,
  toListedRef,
  toListedRefs,
} from './spec.ts'

const ASN = 'ipam.asn'
const RIR = 'ipam.rir'
export const ROUTE_TARGET = 'ipam.routetarget'
const SITE = 'dcim.site'
const VLAN = 'ipam.vlan'
const ADDRESS = 'ipam.ipaddress'
const DEVICE = 'dcim.device'
const MACHINE = 'virtualization.virtualmachine'
const TUNNEL = 'vpn.tunnel'
const TUNNEL_END = 'vpn.tunneltermination'

const TUNNEL_END_SAID = new Set('tunnel role termination termination_type termination_id outside_ip'.split(' '))
const L2VPN_END_SAID = new Set(['l2vpn', 'assigned_object_type', 'assigned_object_id'])

export const createRoutingSpecs: SpecFactory = ({ model }) => {
  const sites = new Map<unknown, RowRef[]>()
  for (const { id, asns } of model.of(SITE))
    if (Array.isArray(asns)) for (const asn of asns) listIn(sites, asn).push(toRef(SITE, id))
  return [
    { kind: ROUTE_TARGET, row: { used: '' } },
    {
      kind: ASN,
      getValues: ({ id, asn, rir }) => ({
        asn: toInteger(asn),
        rir: toLabel(model, RIR, rir),
        places: sites.get(id),
      }),
      row: {
        used: 'asn rir sites role',
        getName: ({ asn }) => `AS${asn}`,
      },
    },
    { kind: 'ipam.aggregate', getValues: ({ rir }) => ({ rir: toLabel(model, RIR, rir) }) },
    {
      kind: 'ipam.vrf',
      getValues: ({ rd, import_targets, export_targets }) => ({
        rd,
        import_targets: toListedRefs(model, ROUTE_TARGET, import_targets),
        export_targets: toListedRefs(model, ROUTE_TARGET, export_targets),
      }),
    },
  ]
}

/** Returns the device, the machine or the group of gateways of a service. Before 4.3 these are fields of their own. */
const findServiceParent = ({ model }: SpecContext, object: NetboxObject): Target | undefined => {
  const target = model.target(object, 'parent_object')
  if (target) return target
  const { device, virtual_machine: machine } = object
  if (typeof device === 'number') return { kind: DEVICE, id: device }
  return typeof machine === 'number' ? { kind: MACHINE, id: machine } : undefined
}

export const createServiceSpecs: SpecFactory = (context) => {
  const { model } = context
  const listAddresses = ({ ipaddresses }: NetboxObject) =>
    parseList(ipaddresses).flatMap((id) => removeMask(model.find(ADDRESS, id)?.address) ?? [])
  return [
    {
      kind: 'ipam.service',
      getValues: (object) => {
        const parent = findServiceParent(context, object)
        return {
          device: parent && toListedRef(model, parent.kind === FHRP_GROUP ? '' : parent.kind, parent.id),
          protocol: object.protocol,
          ports: compressNumbers(parseList(object.ports).map(Number).filter(Number.isInteger)),
          addresses: listAddresses(object),
        }
      },
      row: {
        used: 'device virtual_machine parent parent_object_type parent_object_id protocol ports ipaddresses',
        listLines: (object) => {
          const parent = findServiceParent(context, object)
          if (!parent) return []
          if (parent.kind === FHRP_GROUP) return [{ key: 'fhrp_group', value: model.label(FHRP_GROUP, parent.id) }]
          return listUnlisted(model, 'device', parent)
        },
      },
    },
    ...createWirelessSpecs(context),
  ]
}

const createWirelessSpecs: SpecFactory = ({ model }) => [
  {
    kind: 'wireless.wirelesslan',
    getValues: ({ status, auth_type, auth_cipher, vlan }) => ({
      status,
      authentication: auth_type,
      cipher: auth_cipher,
      vlan: toListedRef(model, VLAN, vlan),
    }),
    row: {
      used: 'ssid status auth_type auth_cipher vlan group',
      getName: ({ ssid }) => String(ssid ?? ''),
      isLocated: true,
      listLines: ({ vlan, group }) => [
        ...listUnlisted(model, 'vlan', { kind: VLAN, id: vlan }),
        { key: 'group', value: toLabel(model, 'wireless.wirelesslangroup', group) },
      ],
    },
  },
]

/** Returns the spec of L2VPNs, which were objects of `ipam` before 3.7. */
const createL2vpnSpec = ({ model }: SpecContext, app: string): KindSpec => {
  const kind = `${app}.l2vpn`
  const terminationKind = `${app}.l2vpntermination`
  const terminations = groupBy(model, terminationKind, ({ l2vpn }) => l2vpn)
  const listEnds = ({ id }: NetboxObject) =>
    (terminations.get(id) ?? []).flatMap((end) => model.target(end, 'assigned_object') ?? [])
  return {
    kind,
    getValues: (object) => ({
      type: object.type,
      identifier: object.identifier === undefined ? undefined : String(object.identifier),
      status: object.status,
      devices: dedupeRefs(listEnds(object).flatMap((end) => toOwnerRef(model, end) ?? [])),
      vlans: dedupeRefs(
        listEnds(object).flatMap(({ kind: of, id }) => (of === VLAN && toListedRef(model, VLAN, id)) || []),
      ),
    }),
    row: {
      used: 'type identifier status import_targets export_targets',
      listLines: (object) => [
        ...(['import_targets', 'export_targets'] as const).map((key) => ({
          key,
          value: parseList(object[key])
            .map((id) => model.label(ROUTE_TARGET, id))
            .join(', '),
        })),
        ...listEnds(object)
          .filter((end) => end.kind !== VLAN)
          .map((end) => ({
            key: 'interface',
            value: formatInterface({ model }, end),
            field: `${terminationKind}.interface`,
          })),
      ],
      onAdded: ({ id }, mapping) => {
        for (const end of terminations.get(id) ?? []) markTaken(mapping, terminationKind, end, L2VPN_END_SAID)
      },
    },
  }
}

export const createVpnSpecs: SpecFactory = (context) => {
  const { model } = context
  const terminations = groupBy(model, TUNNEL_END, ({ tunnel }) => tunnel)
  const listEnds = ({ id }: NetboxObject) =>
    (terminations.get(id) ?? []).map((end) => ({ end, on: model.target(end, 'termination') }))
  const getOutside = ({ outside_ip }: NetboxObject) => removeMask(model.find(ADDRESS, outside_ip)?.address)
  return [
    {
      kind: TUNNEL,
      getValues: (object) => ({
        type: 'tunnel',
        identifier: object.tunnel_id === undefined ? undefined : String(object.tunnel_id),
        status: object.status,
        encapsulation: object.encapsulation,
        devices: dedupeRefs(listEnds(object).flatMap(({ on }) => (on && toOwnerRef(model, on)) ?? [])),
        addresses: listEnds(object).flatMap(({ end }) => getOutside(end) ?? []),
      }),
      row: {
        used: 'tunnel_id status encapsulation group ipsec_profile terminations',
        listLines: (object) => [
          { key: 'group', value: toLabel(model, 'vpn.tunnelgroup', object.group) },
          { key: 'ipsec_profile', value: toLabel(model, 'vpn.ipsecprofile', object.ipsec_profile) },
          ...listEnds(object).map(
            ({ end, on }): Line => ({
              key: String(end.role ?? 'end'),
              value: [on && formatInterface({ model }, on), getOutside(end)].filter(Boolean).join(' '),
              field: `${TUNNEL_END}.role`,
            }),
          ),
        ],
        onAdded: ({ id }, mapping) => {
          for (const end of terminations.get(id) ?? []) markTaken(mapping, TUNNEL_END, end, TUNNEL_END_SAID)
        },
      },
    },
    createL2vpnSpec(context, 'vpn'),
    createL2vpnSpec(context, 'ipam'),
  ]
}
