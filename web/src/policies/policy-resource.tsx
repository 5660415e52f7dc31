/** How policies are read and written: the approvals and checks that proposals need, and the objects that only proposals change. */
import { formatList, parseList } from '../access/list-text.ts'
import { contracts, type Policy } from '../api/contracts.ts'
import { createCrud } from '../resource/crud.ts'
import { PROPOSED_NAMES } from '../resource/facts/names.ts'
import { buildFormFields, buildNameField, type Fields, ID_FIELD, TIME_FIELDS } from '../resource/fields.ts'
import { ManyField } from '../resource/form/many-field.tsx'
import type { ControlInput, Resource } from '../resource/resource.ts'

/** Names of scopes and groups, by their ids. */
export type Names = ReadonlyMap<string, string>

const NO_NAMES: Names = new Map()

const nameOne = (id: string | null, names: Names): string => (id === null ? '' : (names.get(id) ?? id))

/** The form only has texts. */
const FLAG = { kind: 'flag', send: (text: string) => text === 'true' } as const

const formatFlag = (is: boolean): string => (is ? 'yes' : 'no')

/** @param names of scopes and groups */
export const buildPolicyFields = (names: Names = NO_NAMES): Fields<Policy> => ({
  id: ID_FIELD,
  name: buildNameField(),
  enabled: {
    label: 'Enabled',
    text: ({ enabled }) => formatFlag(enabled),
    form: { ...FLAG, initial: 'true' },
    column: { width: 90 },
    filter: { hasFacet: true },
  },
  description: { label: 'Description', form: { kind: 'area' }, column: { width: 240 }, sort: false, filter: false },
  permissions: {
    label: 'Changes',
    column: { width: 220 },
    sort: false,
    filter: { name: 'permission', hasFacet: true },
  },
  scope_id: {
    label: 'Scope',
    text: ({ scope_id }) => nameOne(scope_id, names),
    form: { kind: 'reference', to: 'scopes', none: 'All objects', hint: 'Objects that are in it before or after' },
    column: { id: 'scope', width: 150 },
    filter: { hasFacet: true },
  },
  min_objects: {
    label: 'From how many objects on',
    form: { kind: 'number', initial: '1', hint: 'It applies to a proposal with at least so many of them' },
    column: { id: 'objects', text: 'From objects', width: 110, isRight: true },
    isSearched: false,
    filter: false,
  },
  approvals: {
    label: 'Approvals',
    form: { kind: 'number', initial: '1', hint: 'Of different people; 0 needs a check' },
    column: { width: 100, isRight: true, isEssential: true },
    isSearched: false,
    filter: false,
  },
  group_id: {
    label: 'Group',
    text: ({ group_id }) => nameOne(group_id, names),
    form: { kind: 'reference', to: 'groups', none: 'All who may approve', hint: 'Approvals of its members count' },
    column: { id: 'group', width: 150 },
    filter: { hasFacet: true },
  },
  checks: {
    label: 'Checks',
    form: { kind: 'tags', hint: 'Names with commas between them, like ci-rules: each must have succeeded' },
    column: { width: 160 },
    sort: false,
    filter: { name: 'check', hasFacet: true },
  },
  protect: {
    label: 'Protect',
    text: ({ protect }) => formatFlag(protect),
    form: { ...FLAG, initial: 'false', hint: 'These objects change by a merge alone, also for admins' },
    column: { width: 90, isEssential: true },
    filter: { hasFacet: true },
  },
  ...TIME_FIELDS,
})

/** The permissions of the items of proposals. */
const CHOICES = [...PROPOSED_NAMES, 'discovery', 'dns'].flatMap((resource) =>
  ['create', 'update', 'delete'].map((verb) => [`${resource}:${verb}`, `${resource}:${verb}`] as const),
)

const PermissionsField = ({ value, onChange, error }: ControlInput) => (
  <ManyField
    label="Changes"
    hint="None for all changes of the estate and of DNS records"
    value={parseList(value)}
    onChange={(names) => onChange(formatList(names))}
    choices={CHOICES}
    error={error}
  />
)

export const POLICY_RESOURCE: Resource<Policy> = {
  noun: 'policy',
  fields: buildFormFields(buildPolicyFields(), [], {
    permissions: { read: formatList, send: parseList, render: (input) => <PermissionsField {...input} /> },
  }),
  getName: ({ name }) => name,
  ...createCrud(contracts.policies),
  changes: ['policies', 'proposal'],
}
