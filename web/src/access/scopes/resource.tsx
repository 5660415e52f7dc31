/** How scopes are read and written. */
import { useMemo } from 'react'
import { contracts } from '../../api/contracts.ts'
import { datacentersQuery } from '../../api/queries.ts'
import { kindsQuery } from '../../kinds/known-kinds.ts'
import { createCrud } from '../../resource/crud.ts'
import { buildFormFields } from '../../resource/fields.ts'
import { ReferencesField } from '../../resource/form/reference-field.tsx'
import type { ControlInput, Resource } from '../../resource/resource.ts'
import { useIsInUse, usePermitted } from '../../shell/me.ts'
import { useSpaces } from '../../spaces/known-spaces.tsx'
import { TextArea } from '../../ui/field.tsx'
import { formatList, parseList } from '../list-text.ts'
import { RIGHTS_CHANGES } from '../queries.ts'
import type { Scope } from '../types.ts'
import { buildScopeFields, type Names } from './fields.ts'
import { findSubnetError, parseSubnets } from './subnets.ts'

type Named = { readonly id: string; readonly name: string }

/** The same map while the objects stay the same. */
const useNames = (objects: readonly Named[] | undefined): Names =>
  useMemo(() => new Map(objects?.map(({ id, name }) => [id, name])), [objects])

export const useDatacenterNames = (): Names => useNames(usePermitted('datacenters:list', datacentersQuery).data)

export const useSpaceNames = (): Names => useNames(useSpaces())

export const useKindNames = (): Names =>
  useNames(usePermitted('kinds:list', { ...kindsQuery, enabled: useIsInUse('kinds') }).data)

type IdsProps = ControlInput & {
  readonly label: string
  readonly hint: string
  readonly to: 'datacenters' | 'spaces' | 'kinds'
}

/** The form only has texts. */
const IdsField = ({ label, hint, to, value, onChange, error }: IdsProps) => (
  <ReferencesField
    {...{ label, hint, to, error }}
    value={parseList(value)}
    onChange={(ids) => onChange(formatList(ids))}
  />
)

const SubnetsField = ({ value, onChange, errors }: ControlInput) => (
  <TextArea
    label="Subnets"
    hint="One on each line, like 10.20.0.0/16: all that has an address in them"
    value={value}
    onChange={onChange}
    error={findSubnetError(value, errors)}
  />
)

const LIST = { read: formatList, send: parseList } as const

type Parts = { readonly hasSpaces: boolean; readonly hasKinds: boolean }

export const buildScopeResource = ({ hasSpaces, hasKinds }: Parts): Resource<Scope> => ({
  noun: 'scope',
  fields: buildFormFields(buildScopeFields(), [], {
    datacenter_ids: {
      ...LIST,
      render: (input) => (
        <IdsField {...input} label="Datacenters" to="datacenters" hint="With their networks, pools and devices" />
      ),
    },
    space_ids: {
      ...LIST,
      render: (input) => (
        <IdsField {...input} label="Address spaces" to="spaces" hint="All that has an address in them" />
      ),
      isShown: () => hasSpaces,
    },
    kind_ids: {
      ...LIST,
      render: (input) => <IdsField {...input} label="Kinds" to="kinds" hint="All objects of these kinds" />,
      isShown: () => hasKinds,
    },
    subnets: {
      // The contract says that it is a list of texts.
      read: (value) => (value as readonly string[]).join('\n'),
      send: parseSubnets,
      render: (input) => <SubnetsField {...input} />,
    },
  }),
  getName: ({ name }) => name,
  ...createCrud(contracts.scopes),
  changes: RIGHTS_CHANGES,
})

/** No form has a field for address spaces or kinds while none exists. */
export const useScopeResource = (): Resource<Scope> => {
  const hasSpaces = useIsInUse('spaces')
  const hasKinds = useIsInUse('kinds')
  return useMemo(() => buildScopeResource({ hasSpaces, hasKinds }), [hasSpaces, hasKinds])
}
