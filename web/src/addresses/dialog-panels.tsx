/** The fields of the dialog of a free address: for a device that exists, for a new one, and for a reservation. */
import { CustomFields } from '../custom-fields/known-custom.tsx'
import { ReferenceField } from '../resource/form/reference-field.tsx'
import { Button } from '../ui/button.tsx'
import fieldCss from '../ui/field.module.css'
import { TextField } from '../ui/field.tsx'
import css from './addresses.module.css'
import type { GiveForm } from './give.ts'

export type ChosenDevice = { readonly id: string; readonly name: string }

type Parts = {
  readonly form: GiveForm
  readonly onChange: (fields: Partial<GiveForm>) => void
  readonly errors: Readonly<Record<string, string>>
}

const MacField = ({ form, onChange, errors }: Parts) => (
  <TextField
    label="MAC address"
    value={form.mac_address}
    onChange={(mac_address) => onChange({ mac_address })}
    error={errors.mac_address}
    isMono
  />
)

const AddressCustom = ({ form, onChange, errors }: Parts) => (
  <CustomFields
    resource="addresses"
    value={form.custom}
    onChange={(custom) => onChange({ custom })}
    errors={errors}
    isNew
  />
)

type DeviceProps = Parts & {
  readonly device: ChosenDevice | undefined
  readonly onDevice: (device: ChosenDevice) => void
  readonly problem: string | undefined
}

export const DevicePanel = ({ device, onDevice, problem, ...parts }: DeviceProps) => (
  <>
    <ReferenceField
      label="Device"
      to="devices"
      placeholder="A part of its name or address"
      value={device?.id ?? ''}
      onChange={(id, name) => onDevice({ id, name })}
      error={problem ?? parts.errors.device_id}
    />
    <div className={fieldCss.two}>
      <TextField
        label="Label"
        value={parts.form.label}
        onChange={(label) => parts.onChange({ label })}
        error={parts.errors.label}
      />
      <MacField {...parts} />
    </div>
    <AddressCustom {...parts} />
  </>
)

export const NewDevicePanel = ({ onWhole, ...parts }: Parts & { readonly onWhole: () => void }) => (
  <>
    <TextField
      label="Name"
      value={parts.form.name}
      onChange={(name) => parts.onChange({ name })}
      error={parts.errors.name}
    />
    <AddressCustom {...parts} />
    <div>
      <Button look="quiet" onClick={onWhole}>
        All fields
      </Button>
    </div>
  </>
)

type ReservationProps = Parts & {
  /** The name of the pool that the reservation makes; undefined where one holds the address. */
  readonly newPool: string | undefined
}

export const ReservationPanel = ({ newPool, ...parts }: ReservationProps) => {
  const { form, onChange, errors } = parts
  return (
    <>
      {newPool !== undefined && (
        <p className={css.hint}>Reservations are kept in pools. This makes the pool {newPool} of all its addresses.</p>
      )}
      <TextField
        label="Host name"
        value={form.hostname}
        onChange={(hostname) => onChange({ hostname })}
        error={errors.hostname}
      />
      <TextField
        label="Purpose"
        value={form.purpose}
        onChange={(purpose) => onChange({ purpose })}
        error={errors.purpose}
      />
      <div className={fieldCss.two}>
        <MacField {...parts} />
        <TextField
          label="Ends"
          type="datetime-local"
          value={form.ends}
          onChange={(ends) => onChange({ ends })}
          error={errors.ends}
        />
      </div>
      <AddressCustom {...parts} />
    </>
  )
}
