/** Calls of kinds and their objects, with fields of several types, a tree and places. */
import { call, refuse, type Step } from './engine-pair.ts'

const NAMES = ['zebra', 'Äpfel', 'apfel', 'a_b', 'Web-2', 'web-10'] as const

/** After the datacenters, and before the devices. */
export const kindCalls: readonly Step[] = [
  call('kinds.create', {
    name: 'Things',
    located: true,
    nested: true,
    position: 5,
    fields: [
      { id: 'cf-serial', name: 'serial', type: 'text', unique: true, searchable: true },
      { id: 'cf-size', name: 'size', type: 'integer', minimum: 1 },
      { id: 'cf-peer', name: 'peer', type: 'reference', reference_to: 'things' },
      { id: 'cf-addr', name: 'addr', type: 'ip', multiple: true },
    ],
  }),
  call('kinds.create', { id: 'notes', name: 'Zettel', unique_names: false, refs: { netbox: 'kind.1' } }),
  refuse(409, 'kinds.create', { id: 'others', name: 'THINGS' }),
  refuse(409, 'kinds.create', { id: 'notes', name: 'Others' }),
  refuse(400, 'kinds.create', { name: 'Devices' }),
  refuse(400, 'kinds.create', { name: 'Bad', fields: [{ name: 'a', type: 'choice' }] }),
  call('kinds.update', { id: 'notes', description: 'Notes of ours', icon: 'file-text' }),
  refuse(400, 'kinds.update', { id: 'notes', fields: [{ name: 'a', type: 'text' }] }),
  ...NAMES.map((name, n) =>
    call('objects.create', {
      ...{ id: `obj-${n}`, kind_id: 'things', name, datacenter_id: n % 2 ? 'dc-1' : null },
      ...(n > 3 && { parent_id: 'obj-0' }),
      custom: { serial: `SN-${n}`, size: (n * 7) % 4 || 1, addr: [`10.0.1.${n}`], ...(n > 0 && { peer: 'obj-0' }) },
      ...(n === 2 && { managed_by: 'git' }),
    }),
  ),
  call('objects.create', { id: 'note-0', kind_id: 'notes', name: 'same' }),
  call('objects.create', { id: 'note-1', kind_id: 'netbox:kind.1', name: 'Same', description: 'Zebra' }),
  refuse(409, 'objects.create', { kind_id: 'things', name: 'ZEBRA' }),
  refuse(409, 'objects.create', { kind_id: 'things', name: 'new', custom: { serial: 'sn-1' } }),
  refuse(400, 'objects.create', { kind_id: 'none', name: 'new' }),
  refuse(400, 'objects.create', { kind_id: 'notes', name: 'new', datacenter_id: 'dc-1' }),
  refuse(400, 'objects.create', { kind_id: 'notes', name: 'new', custom: { serial: 'x' } }),
  refuse(400, 'objects.update', { id: 'obj-0', parent_id: 'obj-4' }),
  refuse(400, 'objects.update', { id: 'obj-0', kind_id: 'notes' }),
  call('objects.update', { id: 'obj-3', parent_id: 'obj-4', custom: { size: null } }),
  call('objects.bulk', {
    atomic: false,
    operations: [
      { op: 'create', object: { id: 'obj-bulk', kind_id: 'things', name: 'by bulk' } },
      { op: 'create', object: { kind_id: 'things', name: 'by bulk' } },
      { op: 'update', id: 'obj-2', object: { description: 'in bulk' } },
      { op: 'delete', id: 'note-1' },
    ],
  }),
  refuse(409, 'kinds.delete', { id: 'things' }),
  refuse(400, 'kinds.update', { id: 'things', nested: false, located: false }),
  call('custom-fields.create', { resource: 'racks', name: 'thing', type: 'reference', reference_to: 'things' }),
]

/** At the end: the objects go, then their kinds. */
export const kindRemovals: readonly Step[] = [
  // The objects below move to the one above.
  call('objects.delete', { id: 'obj-4' }),
  call('objects.get', { id: 'obj-3' }),
  ...[0, 1, 2, 3, 5].map((n) => call('objects.delete', { id: `obj-${n}` })),
  call('objects.delete', { id: 'obj-bulk' }),
  refuse(409, 'kinds.delete', { id: 'things' }),
  call('objects.delete', { id: 'note-0' }),
  call('kinds.delete', { id: 'notes' }),
  refuse(404, 'kinds.delete', { id: 'notes' }),
]
