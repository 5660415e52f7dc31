/** The place of a device in a rack, in its form. */
import { useQuery } from '@tanstack/react-query'
import { type MountForm, readMount, writeMount } from '../devices/form/mount-values.ts'
import type { ControlInput } from '../resource/resource.ts'
import { usePermit } from '../shell/me.ts'
import fieldCss from '../ui/field.module.css'
import { SelectField, TextField } from '../ui/field.tsx'
import { racksQuery } from './known-racks.ts'

const FACES = [
  ['front', 'Front'],
  ['rear', 'Rear'],
] as const

const DEPTHS = [
  ['', 'As its type, else full'],
  ['true', 'Full: both faces'],
  ['false', 'Half: one face'],
] as const

const SLOTS: readonly (readonly [string, string])[] = [
  ['1/1', 'Full'],
  ...[2, 3, 4].flatMap((n) =>
    Array.from({ length: n }, (_, at) => [`${at + 1}/${n}`, `${at + 1} of ${n} beside each other`] as const),
  ),
]

type Props = Pick<ControlInput, 'value' | 'onChange' | 'errors'>

export const MountFields = ({ value, onChange, errors }: Props) => {
  const { may } = usePermit()
  const { data: racks = [] } = useQuery({ ...racksQuery, enabled: may('racks:list') })
  const mount = readMount(value)
  const control = (name: keyof MountForm) => ({
    value: mount[name],
    onChange: (text: string) => onChange(writeMount({ ...mount, [name]: text })),
    error: errors[`mount.${name}`],
  })
  const isKnown = mount.rack_id === '' || racks.some(({ id }) => id === mount.rack_id)
  const options = [
    ['', 'None'] as const,
    ...racks.map(({ id, name, location }) => [id, location === '' ? name : `${name} · ${location}`] as const),
    ...(isKnown ? [] : [[mount.rack_id, mount.rack_id] as const]),
  ]
  return (
    <>
      <SelectField
        label="Rack"
        {...control('rack_id')}
        error={errors['mount.rack_id'] ?? errors.mount}
        options={options}
      />
      {mount.rack_id !== '' && (
        <>
          <div className={fieldCss.two}>
            <TextField
              label="Unit"
              isMono
              inputMode="decimal"
              hint="The lowest that it occupies; empty for no unit"
              {...control('position')}
            />
            <TextField
              label="Height in units"
              isMono
              inputMode="decimal"
              hint="Empty: as its type, else 1"
              {...control('height')}
            />
          </div>
          <div className={fieldCss.two}>
            <SelectField label="Face" options={FACES} {...control('face')} />
            <SelectField label="Width" options={SLOTS} {...control('slot')} />
          </div>
          <div className={fieldCss.two}>
            <SelectField label="Depth" options={DEPTHS} {...control('full_depth')} />
            <TextField
              label="Power in watts"
              isMono
              inputMode="numeric"
              hint="Empty: as its type"
              {...control('power_w')}
            />
          </div>
        </>
      )}
    </>
  )
}
