/** The addresses of a device in its form; each can be picked from what is free in a pool. */
import { useQuery } from '@tanstack/react-query'
import { Plus, Sparkles, Trash2 } from 'lucide-react'
import { api } from '../api/client.ts'
import { poolsQuery } from '../api/queries.ts'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { count } from '../ui/format.ts'
import { Menu, MenuGroup, MenuItem } from '../ui/menu.tsx'
import { toastError } from '../ui/toast.tsx'
import css from './devices.module.css'
import { type AddressForm, type DeviceForm, emptyAddress, sentAddresses } from './form.ts'

const MOST_POOLS = 60

type PickProps = { readonly onPick: (address: Partial<AddressForm>) => void }

/** Asked for when somebody looks, which most who open the form never do. */
const FreePools = ({ onPick }: PickProps) => {
  const { data } = useQuery(poolsQuery)
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
      onPick({ ip, pool_id: id, network_id: networkId })
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
      <span className={css.free}>{count(pool.utilization?.available_ips ?? 0)} free</span>
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

type Props = {
  readonly form: DeviceForm
  readonly onChange: (addresses: readonly AddressForm[]) => void
  readonly errors: Readonly<Record<string, string>>
}

export const AddressFields = ({ form, onChange, errors }: Props) => {
  const { addresses } = form
  const sent = sentAddresses(form)
  const change = (key: string, fields: Partial<AddressForm>) =>
    onChange(addresses.map((one) => (one.key === key ? { ...one, ...fields } : one)))
  const remove = (key: string) => onChange(addresses.filter((one) => one.key !== key))
  return (
    <fieldset className={css.addresses}>
      <legend>Addresses</legend>
      {errors.addresses !== undefined && <p className={css.error}>{errors.addresses}</p>}
      {addresses.map((address, index) => {
        const at = `addresses[${sent.indexOf(address)}]`
        const errorOf = (field: string) => errors[`${at}.${field}`]
        return (
          <div key={address.key} className={css.address}>
            <TextField
              label={`Address ${index + 1}`}
              value={address.ip}
              // Typed by hand it may be in another network; the server finds which.
              onChange={(ip) => change(address.key, { ip, network_id: '', pool_id: '' })}
              error={errorOf('ip') ?? errorOf('network_id') ?? errorOf('pool_id')}
              isMono
              inputMode="text"
            />
            <TextField
              label="Label"
              value={address.label}
              onChange={(label) => change(address.key, { label })}
              error={errorOf('label')}
            />
            <TextField
              label="Switch port"
              value={address.switch_port}
              onChange={(switch_port) => change(address.key, { switch_port })}
              error={errorOf('switch_port')}
            />
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
      <Button onClick={() => onChange([...addresses, emptyAddress()])}>
        <Plus size={15} aria-hidden="true" />
        Add address
      </Button>
    </fieldset>
  )
}
