/** The form of an own record. */
import { useMemo } from 'react'
import { invalidField } from '../../../../src/contract/errors.ts'
import { contracts } from '../../api/contracts.ts'
import { isCode } from '../../api/errors.ts'
import { createCrud } from '../../resource/crud.ts'
import type { FieldSpec, Resource } from '../../resource/resource.ts'
import { ResourceDrawer } from '../../resource/resource-drawer.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { isRecordType, TYPES, VALUE_HINTS } from '../labels.ts'
import { type OwnRecord, ZONE_KEYS, type Zone } from '../queries.ts'
import { toSentNumber } from '../servers/server-resource.tsx'

type Owner = Pick<Zone, 'id' | 'name' | 'ttl'>

const recordFields = ({ name, ttl }: Owner): readonly FieldSpec[] => [
  {
    name: 'name',
    label: 'Name',
    isMono: true,
    isRequired: true,
    hint: `@ for ${name} itself, or a name in it, like www`,
  },
  { name: 'type', label: 'Type', kind: 'select', initial: 'A', options: TYPES.map((one) => [one, one] as const) },
  {
    name: 'value',
    label: 'Value',
    isRequired: true,
    render: ({ values, value, onChange, error }) => {
      const hint = isRecordType(values.type) ? VALUE_HINTS[values.type] : undefined
      const common = { label: 'Value', hint, value, onChange, error }
      return values.type === 'TXT' ? <TextArea {...common} /> : <TextField {...common} isMono required />
    },
    // A text may begin or end with spaces.
    send: (text) => text,
  },
  {
    name: 'ttl',
    label: 'TTL in seconds',
    kind: 'number',
    hint: `That of the zone if empty: ${ttl}`,
    send: toSentNumber,
  },
  { name: 'description', label: 'Description', kind: 'area' },
]

/** Shows the error of a repeated record at its value: names repeat. */
const withFieldError = async <T,>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw isCode(error, 'ALREADY_EXISTS') ? invalidField('value', error.message) : error
  }
}

const CRUD = createCrud(contracts.dnsRecords)

export const recordResource = (zone: Owner): Resource<OwnRecord> => ({
  noun: 'record',
  fields: recordFields(zone),
  getName: ({ fqdn, type }) => `${fqdn} ${type}`,
  ...CRUD,
  create: (input) => withFieldError(() => CRUD.create({ ...input, zone_id: zone.id })),
  update: (id, input, etag) => withFieldError(() => CRUD.update(id, input, etag)),
  changes: ZONE_KEYS,
})

type Props = {
  readonly zone: Zone
  /** Undefined for a new one. */
  readonly id: string | undefined
  readonly onClose: () => void
  readonly blocked: string | undefined
}

export const RecordDrawer = ({ zone, id, onClose, blocked }: Props) => {
  const { id: zoneId, name, ttl } = zone
  const resource = useMemo(() => recordResource({ id: zoneId, name, ttl }), [zoneId, name, ttl])
  return <ResourceDrawer resource={resource} id={id} onClose={onClose} blocked={blocked} />
}
