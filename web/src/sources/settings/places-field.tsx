/** Where objects of a place are put: rows of a pattern, a datacenter and an address space. The first that matches wins. */
import { Plus, X } from 'lucide-react'
import { ReferenceField } from '../../resource/form/reference-field.tsx'
import { useFocusRow } from '../../resource/form/use-focus-row.ts'
import type { ControlInput } from '../../resource/resource.ts'
import { Button } from '../../ui/button.tsx'
import fieldCss from '../../ui/field.module.css'
import { TextField } from '../../ui/field.tsx'
import type { Source } from '../queries.ts'
import css from '../sources.module.css'

type Place = Source['places'][number]

/** The form only has texts. */
export const readPlaces = (value: unknown): string => JSON.stringify(value ?? [])
// Only this module writes it.
export const parsePlaces = (text: string): readonly Place[] => (text === '' ? [] : (JSON.parse(text) as Place[]))

type Props = ControlInput & { readonly hasSpaces: boolean }

export const PlacesField = ({ value, onChange, errors, error, hasSpaces }: Props) => {
  const places = parsePlaces(value)
  const { list, focusRow } = useFocusRow()
  const write = (all: readonly Place[]) => onChange(JSON.stringify(all))
  const set = (i: number, change: Partial<Place>) =>
    write(places.map((one, at) => (at === i ? { ...one, ...change } : one)))
  return (
    <fieldset ref={list} className={css.places}>
      <legend className={fieldCss.label}>By place</legend>
      <p className={fieldCss.hint}>
        Objects whose place matches the pattern go there. A place is such as <span className="mono">DC1/Cluster2</span>,
        and <span className="mono">*</span> is any text.
      </p>
      {error !== undefined && <p className={fieldCss.error}>{error}</p>}
      {places.map(({ match, datacenter_id, space_id }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a place has no identity but its position
        <div key={i} className={css.place} data-row="">
          <TextField
            label={`Pattern ${i + 1}`}
            isMono
            value={match}
            onChange={(text) => set(i, { match: text })}
            error={errors[`places[${i}].match`]}
          />
          <ReferenceField
            label={`Datacenter ${i + 1}`}
            to="datacenters"
            none="None"
            value={datacenter_id ?? ''}
            onChange={(id) => set(i, { datacenter_id: id || null })}
            error={errors[`places[${i}].datacenter_id`]}
          />
          {hasSpaces && (
            <ReferenceField
              label={`Address space ${i + 1}`}
              to="spaces"
              none="Default space"
              value={space_id ?? ''}
              onChange={(id) => set(i, { space_id: id || null })}
              error={errors[`places[${i}].space_id`]}
            />
          )}
          <Button
            isIcon
            look="quiet"
            aria-label={`Remove place ${i + 1}`}
            onClick={() => {
              focusRow(i - 1)
              write(places.filter((_, at) => at !== i))
            }}
          >
            <X size={15} aria-hidden="true" />
          </Button>
        </div>
      ))}
      <div>
        <Button
          onClick={() => {
            focusRow(places.length)
            write([...places, { match: '', datacenter_id: null, space_id: null }])
          }}
        >
          <Plus size={15} aria-hidden="true" />
          Add a place
        </Button>
      </div>
    </fieldset>
  )
}
