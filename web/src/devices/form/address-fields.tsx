/** The addresses of a device in its form; each can be a free address of a pool or a network. */
import { Plus, Trash2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { CustomFields } from '../../custom-fields/known-custom.tsx'
import { ReferenceField } from '../../resource/form/reference-field.tsx'
import { useFocusRow } from '../../resource/form/use-focus-row.ts'
import type { ControlInput } from '../../resource/resource.ts'
import { useSpaces } from '../../spaces/known-spaces.tsx'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import css from '../devices.module.css'
import { AddressField } from './address-field.tsx'
import {
  type AddressForm,
  createEmptyAddress,
  filterSentRows,
  isAdded,
  readAddresses,
  writeAddresses,
} from './address-form.ts'

type DetailsProps = {
  readonly address: AddressForm
  readonly onChange: (fields: Partial<AddressForm>) => void
  readonly getError: (field: string) => string | undefined
  readonly errors: ControlInput['errors']
  /** The name of the address in errors. @example 'addresses[0]' */
  readonly at: string
  readonly isNew: boolean
}

const TEXTS = [
  ['label', 'Label'],
  ['switch_port', 'Switch port'],
  ['mac_address', 'MAC address'],
  ['interface', 'Interface'],
  ['dns_name', 'DNS name'],
] as const

/** An address with one of the last six may be of several devices. */
const ROLES = [
  ['', 'None'],
  ...['loopback', 'secondary', 'anycast', 'vip', 'vrrp', 'hsrp', 'glbp', 'carp'].map((role) => [role, role] as const),
] as const

/** The other fields of an address, open where one is set or wrong. */
const Details = ({ address, onChange, getError, errors, at, isNew }: DetailsProps) => {
  const spaces = useSpaces()
  const isSet = [...TEXTS.map(([name]) => address[name]), address.role, address.space_id, address.custom].some(
    (text) => text !== '',
  )
  const [isOpen, setOpen] = useState(isSet)
  const isWrong = [...TEXTS.map(([name]) => name), 'role', 'space_id', 'custom'].some((field) =>
    Object.keys(errors).some((name) => name === `${at}.${field}` || name.startsWith(`${at}.${field}.`)),
  )
  useEffect(() => {
    if (isWrong) setOpen(true)
  }, [isWrong])
  return (
    <details className={css.details} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Details</summary>
      <div className={css.detailFields}>
        {TEXTS.map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            value={address[name]}
            onChange={(text) => onChange({ [name]: text })}
            error={getError(name)}
            isMono={name === 'mac_address'}
          />
        ))}
        <SelectField
          label="Role"
          value={address.role}
          onChange={(role) => onChange({ role })}
          error={getError('role')}
          options={ROLES}
        />
        {spaces.length > 0 && (
          <ReferenceField
            to="spaces"
            none="Default space"
            label="Address space"
            value={address.space_id}
            // The server finds the network, as for a typed address.
            onChange={(space_id) => onChange({ space_id, network_id: '', pool_id: '' })}
            error={getError('space_id')}
          />
        )}
        <div className={css.custom}>
          <CustomFields
            resource="addresses"
            values={filterTexts(address)}
            value={address.custom}
            onChange={(custom) => onChange({ custom })}
            errors={errors}
            at={`${at}.custom`}
            isNew={isNew || isAdded(address)}
          />
        </div>
      </div>
    </details>
  )
}

const filterTexts = (address: AddressForm): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(address).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])),
  )

type Props = Pick<ControlInput, 'value' | 'onChange' | 'errors' | 'isNew' | 'values'>

export const AddressFields = ({ value, onChange, errors, isNew, values }: Props) => {
  const addresses = readAddresses(value)
  const sent = filterSentRows(addresses)
  const { list, focusRow } = useFocusRow()
  const save = (rows: readonly AddressForm[]) => onChange(writeAddresses(rows))
  const change = (key: string, fields: Partial<AddressForm>) =>
    save(addresses.map((one) => (one.key === key ? { ...one, ...fields } : one)))
  return (
    <fieldset ref={list} className={css.addresses}>
      <legend>Addresses</legend>
      {errors.addresses !== undefined && <p className={css.error}>{errors.addresses}</p>}
      {addresses.map((address, index) => {
        const at = `addresses[${sent.indexOf(address)}]`
        const getError = (field: string) => errors[`${at}.${field}`]
        return (
          <div key={address.key} className={css.address} data-row="">
            <AddressField
              label={`Address ${index + 1}`}
              address={address}
              datacenterId={values.datacenter_id ?? ''}
              others={addresses.filter(({ key }) => key !== address.key).map(({ ip }) => ip)}
              onChange={(fields) => change(address.key, fields)}
              error={getError('ip') ?? getError('network_id') ?? getError('pool_id')}
            />
            <Button
              isIcon
              look="quiet"
              className={css.addressTools}
              aria-label={`Remove address ${index + 1}`}
              onClick={() => {
                focusRow(index - 1)
                save(addresses.filter((one) => one.key !== address.key))
              }}
            >
              <Trash2 size={15} aria-hidden="true" />
            </Button>
            <Details
              address={address}
              onChange={(fields) => change(address.key, fields)}
              getError={getError}
              errors={errors}
              at={at}
              isNew={isNew}
            />
          </div>
        )
      })}
      <Button
        onClick={() => {
          focusRow(addresses.length)
          save([...addresses, createEmptyAddress()])
        }}
      >
        <Plus size={15} aria-hidden="true" />
        Add address
      </Button>
    </fieldset>
  )
}
