/** The number of a VLAN in the form of a network, with its name. */
import { fields } from '../networks/fields.ts'
import type { ControlInput, FieldSpec } from '../resource/resource.ts'
import { TextField } from '../ui/field.tsx'
import type { VlanNames } from './names.ts'

const { label, form } = fields.vlan_id
const HINT = form ? form.hint : undefined

type Props = ControlInput & { readonly vlans: VlanNames }

const VlanField = ({ vlans, value, onChange, error, values }: Props) => {
  const number = Number(value)
  const isNumber = value.trim() !== '' && Number.isInteger(number)
  const name = isNumber ? vlans({ vlan_id: number, datacenter_id: values.datacenter_id || null }) : ''
  return (
    <TextField
      label={label}
      hint={name === '' ? HINT : name}
      error={error}
      inputMode="numeric"
      {...{ value, onChange }}
    />
  )
}

/** Builds the control of the field in the form of a network. */
export const buildVlanControl = (vlans: VlanNames): Partial<FieldSpec> => ({
  render: (input) => <VlanField vlans={vlans} {...input} />,
})
