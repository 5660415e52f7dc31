/** Customers, circuits, rules of translation and BGP peers of phpIPAM as objects of packs. */
import { expect, test } from 'bun:test'
import { mysqlDump } from '../../../testing/estates/phpipam.ts'
import { parseCapacity } from './circuits.ts'
import { convertPhpipam } from './phpipam.ts'

const estate = await convertPhpipam(new TextEncoder().encode(mysqlDump()), { now: new Date(0) })
const find = (ref: string) =>
  estate.documents.objects?.find(({ refs }) => (refs as { phpipam?: string }).phpipam === ref)
const ref = (of: string) => ({ ref: `phpipam:${of}` })

test('the document names the packs of its rows', () => {
  expect(estate.packs).toEqual(['circuits', 'nat', 'routing', 'tenancy'])
})

test('a customer is a tenant, with its other values as lines', () => {
  expect(find('customer.1')).toEqual({
    ...{ kind: 'tenants', name: 'Acme', description: 'contact_person: mark-person\nnote: mark-customer' },
    refs: { phpipam: 'customer.1' },
  })
})

test('a circuit has its provider, type, rate and places', () => {
  expect(find('provider.1')).toMatchObject({ kind: 'providers', description: 'mark-provider\ncontact: mark-contact' })
  expect(find('circuit.1')).toEqual({
    ...{ kind: 'circuits', name: 'C-1', description: 'comment: mark-circuit\nA device: SW-1.example.net' },
    custom: {
      ...{ provider: ref('provider.1'), type: 'Dark fiber', status: 'active', commit_kbps: 10_000_000 },
      ...{ a_place: ref('location.2'), z_place: ref('location.1'), tenant: ref('customer.1'), order: 'mark-order' },
    },
    refs: { phpipam: 'circuit.1' },
  })
  expect(find('circuit.2')).toMatchObject({
    description: 'capacity: mark-capacity\nstatus: Reserved\nparent: C-1',
    custom: { status: 'planned' },
  })
})

test('a circuit without its provider, and a logical one without members, are left over', () => {
  expect(estate.leftover.circuits).toMatchObject([{ cid: 'mark-orphan' }])
  expect(estate.leftover.circuitsLogical).toMatchObject([{ logical_cid: 'mark-empty' }])
})

test('a logical circuit has the provider of its members, in their order', () => {
  expect(find('logical.1')).toMatchObject({
    ...{ kind: 'circuits', name: 'L-1', description: 'purpose: mark-purpose\nmembers: C-1, C-2' },
    custom: { provider: ref('provider.1'), type: 'logical' },
  })
})

test('a rule has its addresses inside and outside, and subnets as a line', () => {
  expect(find('nat.1')).toMatchObject({
    ...{ kind: 'nat-rules', name: 'web', description: 'mark-nat' },
    custom: {
      ...{ type: 'destination', inside: ['10.40.1.10'], outside: ['10.40.1.14'], device: ref('device.4') },
      ...{ inside_port: '8443', outside_port: '443' },
    },
  })
  expect(find('nat.2')).toMatchObject({
    description: 'inside: 10.40.1.0/24',
    custom: { type: 'source', outside: ['10.40.1.14'] },
  })
})

test('a BGP peer refers to its AS numbers, and its subnets are lines', () => {
  expect(find('bgp.1')).toMatchObject({
    ...{ kind: 'bgp-peers', name: 'upstream' },
    description: [
      ...['mark-peer', 'bgp_type: external', 'vrf: mark-vrf', 'circuit: C-1', 'customer: Acme'],
      'advertised: 10.40.1.0/24',
    ].join('\n'),
    custom: {
      ...{ local_as: ref('as.64500'), peer_as: ref('as.64501') },
      ...{ local_address: '10.40.1.2', peer_address: '192.0.2.9' },
    },
  })
  expect(find('as.64500')).toEqual({
    ...{ kind: 'as-numbers', name: 'AS64500', custom: { asn: 64500 }, refs: { phpipam: 'as.64500' } },
  })
})

test.each([
  ['1 Gbps', 1_000_000],
  ['100M', 100_000],
  ['2,5 Gbit/s', 2_500_000],
  ['512 kb/s', 512],
  ['fast', undefined],
])('the capacity %s is %p kbit/s', (text, expected) => {
  expect(parseCapacity(text)).toBe(expected as number)
})
