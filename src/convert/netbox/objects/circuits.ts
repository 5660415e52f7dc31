/** Providers, their networks, and circuits with their ends. */
import type { Line } from '../../report-builder.ts'
import { CIRCUIT, type CircuitSide, findEndTarget, TERMINATION } from '../circuits.ts'
import { listLines, type Mapping, markDone, markTaken } from '../mapping.ts'
import type { Target } from '../model.ts'
import { toPlaceRef } from '../places.ts'
import type { NetboxObject } from '../read/objects.ts'
import {
  groupBy,
  type KindSpec,
  listUnlisted,
  type SpecContext,
  type SpecFactory,
  toInteger,
  toLabel,
  toListedRef,
  type Values,
} from './spec.ts'

const PROVIDER = 'circuits.provider'
const ACCOUNT = 'circuits.provideraccount'
const NETWORK = 'circuits.providernetwork'
const TYPE = 'circuits.circuittype'
const VIRTUAL = 'circuits.virtualcircuit'
const VIRTUAL_TYPE = 'circuits.virtualcircuittype'
const VIRTUAL_END = 'circuits.virtualcircuittermination'
const ASSIGNMENT = 'circuits.circuitgroupassignment'

const ENDS: readonly CircuitSide[] = ['A', 'Z']

const ACCOUNT_SAID = new Set(['provider', 'account', 'name', 'description'])
const ASSIGNMENT_SAID = new Set(['circuit', 'group', 'member', 'member_id', 'member_type'])
const VIRTUAL_END_SAID = new Set(['virtual_circuit', 'role', 'interface'])

const END_USED = new Set(
  (
    'circuit term_side termination termination_type termination_id site provider_network port_speed upstream_speed ' +
    'xconnect_id pp_info cable cable_end cable_connector cable_positions'
  ).split(' '),
)

/** Returns the values of an end, with `a_` or `z_` before their names. */
const listEndValues = ({ model, places }: SpecContext, side: CircuitSide, end: NetboxObject | undefined): Values => {
  if (!end) return {}
  const target = findEndTarget(model, end)
  const isPlace = target !== undefined && places.has(target)
  const prefix = side.toLowerCase()
  return {
    [`${prefix}_place`]: isPlace ? toPlaceRef(target) : undefined,
    [`${prefix}_network`]: target?.kind === NETWORK ? toListedRef(model, NETWORK, target.id) : undefined,
    [`${prefix}_speed_kbps`]: toInteger(end.port_speed),
    [`${prefix}_upstream_kbps`]: toInteger(end.upstream_speed),
    [`${prefix}_cross_connect`]: end.xconnect_id,
    [`${prefix}_patch_panel`]: end.pp_info,
  }
}

const isSaid = ({ model, places }: SpecContext, target: Target): boolean =>
  places.has(target) || (target.kind === NETWORK && model.isListed(NETWORK, target.id))

type End = { readonly side: CircuitSide; readonly end: NetboxObject }

/** Returns lines for the values of an end that have no field. */
const listEndLines = (context: SpecContext, mapping: Mapping, { side, end }: End): Line[] => {
  const { model } = context
  const target = findEndTarget(model, end)
  const lines = listLines(mapping, { kind: TERMINATION, object: end, used: END_USED })
  const at = target && !isSaid(context, target) ? [{ key: 'at', value: model.label(target.kind, target.id) }] : []
  return [...at, ...lines].map(({ key, value }) => ({ key: `${side} ${key}`, value, field: `${TERMINATION}.${key}` }))
}

/** Objects of other kinds that circuits and providers take up. */
type Taken = {
  /** Accounts by provider. */
  readonly accounts: ReadonlyMap<unknown, readonly NetboxObject[]>
  /** Assignments of groups by circuit. */
  readonly groups: ReadonlyMap<unknown, readonly NetboxObject[]>
}

const buildKey = ({ kind, id }: { readonly kind: string; readonly id: unknown }): string => `${kind} ${id}`

/** Returns the accounts at a provider: objects since 3.5, a field before. */
const listAccounts = ({ accounts }: Taken, { id, account }: NetboxObject): string | undefined => {
  const all = [account, ...(accounts.get(id) ?? []).map((one) => one.account)].filter((text) => text !== undefined)
  return all.length > 0 ? all.join(', ') : undefined
}

const formatAsns = ({ model }: SpecContext, { asns, asn }: NetboxObject): string | undefined => {
  const numbers = Array.isArray(asns) ? asns.map((id) => model.label('ipam.asn', id)) : asn === undefined ? [] : [asn]
  return numbers.length > 0 ? numbers.join(', ') : undefined
}

/** Returns the names of the groups of a circuit. */
const listGroups = ({ model }: SpecContext, { groups }: Taken, target: Target): string[] | undefined => {
  const names = (groups.get(buildKey(target)) ?? []).map(({ group }) => model.label('circuits.circuitgroup', group))
  return names.length > 0 ? names : undefined
}

const markGroups = (mapping: Mapping, { groups }: Taken, target: Target): void => {
  for (const one of groups.get(buildKey(target)) ?? []) markTaken(mapping, ASSIGNMENT, one, ASSIGNMENT_SAID)
}

const NO_PROVIDER = 'has no provider, or one that is not in the file'

/** Returns a line for the account of a circuit, unless it is the only one of its provider. */
const listAccountLines = (
  { model }: SpecContext,
  { accounts }: Taken,
  { provider, account }: { readonly provider: unknown; readonly account: unknown },
): Line[] =>
  account === undefined || accounts.get(provider)?.length === 1
    ? []
    : [{ key: 'provider_account', value: model.label(ACCOUNT, account) }]

const createVirtualSpecs = (context: SpecContext, taken: Taken): readonly KindSpec[] => {
  const { model } = context
  const getProvider = ({ provider_network: id }: NetboxObject) => model.find(NETWORK, id)?.provider
  const ends = groupBy(model, VIRTUAL_END, ({ virtual_circuit }) => virtual_circuit)
  const listEnds = ({ id }: NetboxObject) => ends.get(id) ?? []
  return [
    {
      kind: VIRTUAL,
      getValues: (object) => ({
        provider: toListedRef(model, PROVIDER, getProvider(object)),
        type: toLabel(model, VIRTUAL_TYPE, object.type),
        status: object.status,
        a_network: toListedRef(model, NETWORK, object.provider_network),
        groups: listGroups(context, taken, { kind: VIRTUAL, id: object.id }),
      }),
      row: {
        used: 'cid type status provider provider_network provider_account assignments terminations',
        getName: ({ cid }) => String(cid ?? ''),
        findProblem: (object) => (toListedRef(model, PROVIDER, getProvider(object)) ? undefined : NO_PROVIDER),
        listLines: (object) => [
          ...listAccountLines(context, taken, { provider: getProvider(object), account: object.provider_account }),
          ...listEnds(object).map((end) => ({
            key: String(end.role ?? 'end'),
            value: formatInterface(context, { kind: 'dcim.interface', id: Number(end.interface) }),
            field: `${VIRTUAL}.terminations`,
          })),
        ],
        onAdded: (object, mapping) => {
          markGroups(mapping, taken, { kind: VIRTUAL, id: object.id })
          for (const end of listEnds(object)) markTaken(mapping, VIRTUAL_END, end, VIRTUAL_END_SAID)
        },
      },
    },
  ]
}

/** Returns the device and the name of an interface, as people read them. */
export const formatInterface = ({ model }: Pick<SpecContext, 'model'>, { kind, id }: Target): string => {
  const found = model.find(kind, id)
  const owner =
    found?.device === undefined
      ? toLabel(model, 'virtualization.virtualmachine', found?.virtual_machine)
      : toLabel(model, 'dcim.device', found.device)
  return [owner ?? '', model.label(kind, id)].filter((text) => text !== '').join(' ')
}

export const createCircuitSpecs: SpecFactory = (context) => {
  const { model, circuits } = context
  const taken: Taken = {
    accounts: groupBy(model, ACCOUNT, ({ provider }) => provider),
    // Before 4.2 only circuits have groups.
    groups: groupBy(model, ASSIGNMENT, (one) =>
      buildKey(model.target(one, 'member') ?? { kind: CIRCUIT, id: one.circuit }),
    ),
  }
  return [
    {
      kind: PROVIDER,
      getValues: (object) => ({
        account: listAccounts(taken, object),
        portal: object.portal_url,
        asns: formatAsns(context, object),
      }),
      row: {
        used: 'account accounts portal_url asns asn',
        listLines: ({ id }) =>
          (taken.accounts.get(id) ?? []).map(({ account, name, description }) => ({
            key: `account ${account}`,
            value: [name, description].filter((text) => text !== undefined).join(', '),
            field: `${ACCOUNT}.name`,
          })),
        onAdded: ({ id }, mapping) => {
          for (const account of taken.accounts.get(id) ?? []) markTaken(mapping, ACCOUNT, account, ACCOUNT_SAID)
        },
      },
    },
    {
      kind: NETWORK,
      getValues: ({ provider, service_id }) => ({ provider: toListedRef(model, PROVIDER, provider), service_id }),
      row: {
        used: 'provider service_id',
        listLines: ({ provider }) => listUnlisted(model, 'provider', { kind: PROVIDER, id: provider }),
      },
    },
    {
      kind: CIRCUIT,
      getValues: (object) => {
        const ends = circuits.endsOf(object.id)
        return {
          provider: toListedRef(model, PROVIDER, object.provider),
          type: toLabel(model, TYPE, object.type),
          status: object.status,
          install_date: object.install_date,
          end_date: object.termination_date,
          commit_kbps: toInteger(object.commit_rate),
          device: circuits.isCabled(object.id) ? { ref: `netbox:${CIRCUIT}.${object.id}` } : undefined,
          ...listEndValues(context, 'A', ends.A),
          ...listEndValues(context, 'Z', ends.Z),
          groups: listGroups(context, taken, { kind: CIRCUIT, id: object.id }),
        }
      },
      row: {
        used:
          'cid provider provider_account type status install_date termination_date commit_rate termination_z ' +
          'termination_a_id termination_z_id assignments',
        getName: ({ cid }) => String(cid ?? ''),
        findProblem: ({ provider }) => (toListedRef(model, PROVIDER, provider) ? undefined : NO_PROVIDER),
        listLines: (object, mapping) => [
          ...listAccountLines(context, taken, { provider: object.provider, account: object.provider_account }),
          ...ENDS.flatMap((side) => {
            const end = circuits.endsOf(object.id)[side]
            return end ? listEndLines(context, mapping, { side, end }) : []
          }),
        ],
        onAdded: ({ id }, mapping) => {
          markGroups(mapping, taken, { kind: CIRCUIT, id })
          for (const side of ENDS) {
            const end = circuits.endsOf(id)[side]
            if (end) markDone(mapping, TERMINATION, end)
          }
        },
      },
    },
    ...createVirtualSpecs(context, taken),
  ]
}
