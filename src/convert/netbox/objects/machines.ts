/** Clusters, the size of virtual machines, stacks of switches, and gateways that share an address. */
import type { Line } from '../../report-builder.ts'
import { markTaken, type RowRef } from '../mapping.ts'
import type { NetboxModel, Target } from '../model.ts'
import { type NetboxObject, parseNumber } from '../read/objects.ts'
import { isSince41 } from '../read/versions.ts'
import { formatInterface } from './circuits.ts'
import {
  dedupeRefs,
  groupBy,
  listUnlisted,
  removeMask,
  type SpecContext,
  type SpecFactory,
  toInteger,
  toLabel,
  toListedRef,
  toListedTarget,
  type Values,
} from './spec.ts'

export const CLUSTER = 'virtualization.cluster'
const CLUSTER_GROUP = 'virtualization.clustergroup'
const CLUSTER_TYPE = 'virtualization.clustertype'
const MACHINE = 'virtualization.virtualmachine'
const DEVICE = 'dcim.device'
export const CHASSIS = 'dcim.virtualchassis'
export const FHRP_GROUP = 'ipam.fhrpgroup'
const FHRP_ASSIGNMENT = 'ipam.fhrpgroupassignment'

const ASSIGNMENT_SAID = new Set(['group', 'interface', 'interface_type', 'interface_id', 'priority'])

/** Returns whole gigabytes. Since 4.1 a disk has megabytes, of which a gigabyte has 1,000, or 1,024 by a setting. */
export const toGigabytes = (model: NetboxModel, disk: unknown): number | undefined => {
  const size = parseNumber(disk)
  if (size === undefined || !isSince41(model.source)) return toInteger(disk)
  return [1000, 1024].map((base) => size / base).find(Number.isInteger)
}

const listMachineValues = ({ model }: SpecContext, { cluster, vcpus, memory, disk }: NetboxObject): Values => ({
  cluster: toListedRef(model, CLUSTER, cluster),
  vcpus: parseNumber(vcpus),
  memory_mb: toInteger(memory),
  disk_gb: toGigabytes(model, disk),
})

export const createClusterSpecs: SpecFactory = (context) => {
  const { model } = context
  return [
    { kind: CLUSTER_GROUP, row: { used: '' } },
    {
      kind: CLUSTER,
      getValues: ({ type, status }) => ({ type: toLabel(model, CLUSTER_TYPE, type), status }),
      row: {
        used: 'type group status allocated_vcpus allocated_memory allocated_disk',
        isLocated: true,
        findParent: ({ group }) => toListedTarget(model, CLUSTER_GROUP, group),
        listLines: ({ group }) => listUnlisted(model, 'group', { kind: CLUSTER_GROUP, id: group }),
      },
    },
    { kind: MACHINE, getValues: (object) => listMachineValues(context, object) },
    {
      kind: DEVICE,
      getValues: ({ cluster, virtual_chassis: stack, vc_position }) => ({
        cluster: toListedRef(model, CLUSTER, cluster),
        stack: toListedRef(model, CHASSIS, stack),
        stack_member: toListedRef(model, CHASSIS, stack) && toInteger(vc_position),
      }),
    },
  ]
}

/** Returns a reference to the device or machine of an interface. */
export const toOwnerRef = (model: NetboxModel, { kind, id }: Target): RowRef | undefined => {
  const found = model.find(kind, id)
  return toListedRef(model, DEVICE, found?.device) ?? toListedRef(model, MACHINE, found?.virtual_machine)
}

export const createRedundancySpecs: SpecFactory = ({ model }) => {
  const assignments = groupBy(model, FHRP_ASSIGNMENT, ({ group }) => group)
  const addresses = groupBy(model, 'ipam.ipaddress', (address) => {
    const target = model.target(address, 'assigned_object')
    return target?.kind === FHRP_GROUP ? target.id : undefined
  })
  const listMembers = ({ id }: NetboxObject) =>
    (assignments.get(id) ?? []).flatMap((assignment) => {
      const on = model.target(assignment, 'interface')
      return on ? [{ assignment, on }] : []
    })
  return [
    {
      kind: CHASSIS,
      getValues: ({ domain, master }) => ({ domain, master: toListedRef(model, DEVICE, master) }),
      row: {
        used: 'domain master members',
        listLines: ({ master }) => listUnlisted(model, 'master', { kind: DEVICE, id: master }),
      },
    },
    {
      kind: FHRP_GROUP,
      getValues: (object) => ({
        protocol: object.protocol,
        number: toInteger(object.group_id),
        addresses: (addresses.get(object.id) ?? []).flatMap(({ address }) => removeMask(address) ?? []),
        devices: dedupeRefs(listMembers(object).flatMap(({ on }) => toOwnerRef(model, on) ?? [])),
      }),
      row: {
        used: 'protocol group_id ip_addresses',
        getName: ({ name, protocol, group_id }) => String(name ?? `${protocol} ${group_id}`),
        listLines: (object) =>
          listMembers(object).map(
            ({ assignment, on }): Line => ({
              key: formatInterface({ model }, on),
              value: assignment.priority === undefined ? 'member' : `priority ${assignment.priority}`,
              field: `${FHRP_ASSIGNMENT}.priority`,
            }),
          ),
        onAdded: (object, mapping) => {
          for (const { assignment } of listMembers(object))
            markTaken(mapping, FHRP_ASSIGNMENT, assignment, ASSIGNMENT_SAID)
        },
      },
    },
  ]
}
