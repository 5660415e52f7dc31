/** Where objects of a place are put: rows of a pattern, a datacenter and an address space. The first that matches wins. */
import { ReferenceField } from '../../resource/form/reference-field.tsx'
import { RowsField } from '../../resource/form/rows-field.tsx'
import type { ControlInput } from '../../resource/resource.ts'
import { TextField } from '../../ui/field.tsx'
import type { Source } from '../queries.ts'

type Place = Source['places'][number]

const NEW: Place = { match: '', datacenter_id: null, space_id: null }

/** The form only has texts. */
export const readPlaces = (value: unknown): string => JSON.stringify(value ?? [])
// Only this module writes it.
export const parsePlaces = (text: string): readonly Place[] => (text === '' ? [] : (JSON.parse(text) as Place[]))

type Props = ControlInput & { readonly hasSpaces: boolean }

export const PlacesField = ({ value, onChange, errors, error, hasSpaces }: Props) => (
  <RowsField
    legend="By place"
    noun="place"
    hint={
      <>
        Objects whose place matches the pattern go there. A place is such as <span className="mono">DC1/Cluster2</span>,
        and <span className="mono">*</span> is any text.
      </>
    }
    rows={parsePlaces(value)}
    added={NEW}
    onChange={(places) => onChange(JSON.stringify(places))}
    error={error}
  >
    {({ match, datacenter_id, space_id }, i, set) => (
      <>
        <TextField
          label={`Pattern ${i + 1}`}
          isMono
          value={match}
          onChange={(text) => set({ match: text })}
          error={errors[`places[${i}].match`]}
        />
        <ReferenceField
          label={`Datacenter ${i + 1}`}
          to="datacenters"
          none="None"
          value={datacenter_id ?? ''}
          onChange={(id) => set({ datacenter_id: id || null })}
          error={errors[`places[${i}].datacenter_id`]}
        />
        {hasSpaces && (
          <ReferenceField
            label={`Address space ${i + 1}`}
            to="spaces"
            none="Default space"
            value={space_id ?? ''}
            onChange={(id) => set({ space_id: id || null })}
            error={errors[`places[${i}].space_id`]}
          />
        )}
      </>
    )}
  </RowsField>
)
