// Fields that take ids say of what, so that an id of a hidden object is found wherever an input holds one.
import { expect, test } from 'bun:test'
import { contracts } from '../../src/app/contracts.ts'
import { type FieldSchema, getInputSchema, stripNull } from '../../src/contract/input-schema.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'

/** The operations about one proposal. */
const PROPOSAL_VERBS = [
  ...['get', 'update', 'items', 'timeline', 'replace-operation', 'remove-operation', 'open', 'close', 'refresh'],
  ...['merge', 'comment', 'approve', 'reject', 'check'],
]

/** Fields that name no object of a resource, or that the handler checks itself. */
const REASONS: Readonly<Record<string, string>> = {
  '*.create id': 'the id of a new object, which may be any',
  'kinds.create fields[].id': 'the id of a new custom field',
  '*.bulk operations[].id': 'each item is guarded by its own operation',
  '*.delivery delivery_id': 'a delivery of a webhook, which is seen with the permission everywhere alone',
  '*.redeliver delivery_id': 'as delivery',
  'history.list object_id':
    'an object that may be deleted, of the kind that another field names; the list is empty for a hidden one',
  'history.get id': 'a change, and no object',
  'history.undo id': 'a change, and no object',
  'history.items id': 'a change, and no object',
  'vlans.create vlan_id': 'a number, and no object',
  'users.create role_id': 'an id or a name of a role',
  'users.change-password id': 'the own account',
  'factors.create-passkey challenge_id': 'a challenge of the own session',
  'factors.create-passkey response.id': 'chosen by the authenticator',
  'sso-providers.create client_id': 'an id at the provider',
  'sso-providers.update client_id': 'an id at the provider',
  'audit.list resource_id': 'an object that may be deleted, of the resource that another field names',
  'audit.get id': 'an entry, and no object',
  'sources.show-run run_id': 'a run of the source, which another field names',
  'sources.objects object_id': 'an object that may be deleted, of any resource',
  ...Object.fromEntries(PROPOSAL_VERBS.map((verb) => [`proposals.${verb} id`, 'a proposal, and no object'])),
  'proposals.replace-operation operation_id': 'an operation of the proposal',
  'proposals.remove-operation operation_id': 'an operation of the proposal',
  'proposals.comment object_id': 'an item of the proposal that the caller sees',
  'sources.link objects[].object_id': 'an object of the resource that another field names',
}

const isText = ({ type }: FieldSchema): boolean => type === undefined || type === 'string'

/** Returns the fields that are named as ids and name no resource. */
const unsaid = (schema: FieldSchema, at = ''): string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, given]) => {
    const field = at === '' ? name : `${at}.${name}`
    const own = stripNull(given)
    const one = own.items ? stripNull(own.items) : own
    const isId = /^(?:id|ids|.+_ids?)$/.test(name) && isText(one)
    if (isId) return one.ref === undefined ? [field] : []
    return unsaid(one, own.items ? `${field}[]` : field)
  })

test('a field of ids refers to a resource', () => {
  const found = Object.values(contracts)
    .flatMap((set) => Object.values<AnyOperation>(set))
    .flatMap(({ name, input }) => unsaid(getInputSchema(input)).map((field) => `${name} ${field}`))
  const general = (one: string) => one.replace(/^[^.]+/, '*')
  expect(found.filter((one) => !(one in REASONS || general(one) in REASONS))).toEqual([])
  const used = new Set(found.flatMap((one) => [one, general(one)]))
  expect(Object.keys(REASONS).filter((one) => !used.has(one))).toEqual([])
})
