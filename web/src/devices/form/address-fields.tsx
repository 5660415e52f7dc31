/** The addresses of a device in its form; each can be a free address of a pool. */
import { useQuery } from '@tanstack/react-query'
import { Plus, Sparkles, Trash2 } from 'lucide-react'
import { api } from '../../api/client.ts'
import { networksQuery, poolsQuery } from '../../api/queries.ts'
import { CustomFields } from '../../custom-fields/known-custom.tsx'
import type { ControlInput } from '../../resource/resource.ts'
import { usePermit } from '../../shell/me.ts'
import { buildSpaceControl } from '../../spaces/known-control.ts'
import { SpaceBadge, useSpaces } from '../../spaces/known-spaces.tsx'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { formatCount } from '../../ui/format.ts'
import { Menu, MenuGroup, MenuItem } from '../../ui/menu.tsx'
import { toastError } from '../../ui/toast.tsx'
import css from '../devices.module.css'
import {
  type AddressForm,
  createEmptyAddress,
  filterSentRows,
  isAdded,
  readAddresses,
  writeAddresses,
} from './address-form.ts'

const MOST_POOLS = 60

type PickProps = { readonly onPick: (address: Partial<AddressForm>) => void }

/** Loaded when the menu opens, which is rare. */
const FreePools = ({ onPick }: PickProps) => {
  const { data } = useQuery(poolsQuery)
  const { may } = usePermit()
  const hasSpaces = useSpaces().length > 0
  const { data: networks = [] } = useQuery({ ...networksQuery, enabled: hasSpaces && may('networks:list') })
  const spaces = new Map(networks.map(({ id, space_id = '' }) => [id, space_id]))
  if (!data)
    return (
      <MenuItem onSelect={() => {}} blocked="">
        One moment …
      </MenuItem>
    )
  const withRoom = data.filter(({ utilization }) => (utilization?.available_ips ?? 0) > 0).slice(0, MOST_POOLS)
  const pick = async (id: string, networkId: string) => {
    try {
      const { ip } = await api.pools.nextIp({ id })
      onPick({ ip, pool_id: id, network_id: networkId, space_id: spaces.get(networkId) ?? '' })
    } catch (error) {
      toastError('No free address', error)
    }
  }
  if (withRoom.length === 0)
    return (
      <MenuItem onSelect={() => {}} blocked="">
        No pool has a free one
      </MenuItem>
    )
  return withRoom.map((pool) => (
    <MenuItem key={pool.id} onSelect={() => void pick(pool.id, pool.network_id)}>
      <span>{pool.name}</span>
      <span className="mono muted">{pool.start_ip}</span>
      <SpaceBadge space_id={spaces.get(pool.network_id)} />
      <span className={css.free}>{formatCount(pool.utilization?.available_ips ?? 0)} free</span>
    </MenuItem>
  ))
}

const FreeAddress = ({ onPick }: PickProps) => {
  const { may } = usePermit()
  if (!may('pools:list') || !may('pools:read')) return null
  const trigger = (
    <Button isIcon aria-label="Pick a free address">
      <Sparkles size={15} aria-hidden="true" />
    </Button>
  )
  return (
    <Menu trigger={trigger}>
      <MenuGroup label="Next free address of">
        <FreePools onPick={onPick} />
      </MenuGroup>
    </Menu>
  )
}

type Props = Pick<ControlInput, 'value' | 'onChange' | 'errors' | 'isNew'>

export const AddressFields = ({ value, onChange, errors, isNew }: Props) => {
  const addresses = readAddresses(value)
  const sent = filterSentRows(addresses)
  const spaces = useSpaces()
  const save = (rows: readonly AddressForm[]) => onChange(writeAddresses(rows))
  const change = (key: string, fields: Partial<AddressForm>) =>
    save(addresses.map((one) => (one.key === key ? { ...one, ...fields } : one)))
  const remove = (key: string) => save(addresses.filter((one) => one.key !== key))
  return (
    <fieldset className={css.addresses}>
      <legend>Addresses</legend>
      {errors.addresses !== undefined && <p className={css.error}>{errors.addresses}</p>}
      {addresses.map((address, index) => {
        const at = `addresses[${sent.indexOf(address)}]`
        const getError = (field: string) => errors[`${at}.${field}`]
        return (
          <div key={address.key} className={css.address}>
            <TextField
              label={`Address ${index + 1}`}
              value={address.ip}
              // A typed address may lie in another network; the server finds it.
              onChange={(ip) => change(address.key, { ip, network_id: '', pool_id: '' })}
              error={getError('ip') ?? getError('network_id') ?? getError('pool_id')}
              isMono
              inputMode="text"
            />
            <TextField
              label="Label"
              value={address.label}
              onChange={(label) => change(address.key, { label })}
              error={getError('label')}
            />
            <TextField
              label="Switch port"
              value={address.switch_port}
              onChange={(switch_port) => change(address.key, { switch_port })}
              error={getError('switch_port')}
            />
            <TextField
              label="MAC address"
              value={address.mac_address}
              onChange={(mac_address) => change(address.key, { mac_address })}
              error={getError('mac_address')}
              isMono
            />
            <TextField
              label="Interface"
              value={address.interface}
              onChange={(own) => change(address.key, { interface: own })}
              error={getError('interface')}
            />
            <div className={css.dnsName}>
              <TextField
                label="DNS name"
                value={address.dns_name}
                onChange={(dns_name) => change(address.key, { dns_name })}
                error={getError('dns_name')}
              />
            </div>
            {spaces.length > 0 && (
              <SelectField
                label="Address space"
                value={address.space_id}
                // The server finds the network, as for a typed address.
                onChange={(space_id) => change(address.key, { space_id, network_id: '', pool_id: '' })}
                error={getError('space_id')}
                options={buildSpaceControl(spaces).options}
              />
            )}
            <div className={css.custom}>
              <CustomFields
                resource="addresses"
                value={address.custom}
                onChange={(custom) => change(address.key, { custom })}
                errors={errors}
                at={`${at}.custom`}
                isNew={isNew || isAdded(address)}
              />
            </div>
            <span className={css.addressTools}>
              <FreeAddress onPick={(picked) => change(address.key, picked)} />
              <Button
                isIcon
                look="quiet"
                aria-label={`Remove address ${index + 1}`}
                onClick={() => remove(address.key)}
              >
                <Trash2 size={15} aria-hidden="true" />
              </Button>
            </span>
          </div>
        )
      })}
      <Button onClick={() => save([...addresses, createEmptyAddress()])}>
        <Plus size={15} aria-hidden="true" />
        Add address
      </Button>
    </fieldset>
  )
}
