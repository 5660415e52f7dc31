/** Chooses an object of a resource. Devices are searched by the server, because a list of them may be long. */
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import type { Resource } from '../../../../src/inventory/resources.ts'
import { api } from '../../api/client.ts'
import type { Device } from '../../api/contracts.ts'
import { loadReferred } from '../../custom-fields/names.ts'
import { usePermit } from '../../shell/me.ts'
import { type Choice, ChoiceField } from './choice-field.tsx'

type Props = {
  readonly label: string
  readonly value: string
  readonly onChange: (id: string) => void
  /** The text of the choice of none; without it, a chosen object can only be replaced. */
  readonly none?: string
  readonly placeholder?: string | undefined
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly isRequired?: boolean
}

const NONE: readonly never[] = []

type ReferenceProps = Props & { readonly to: Exclude<Resource, 'devices'> }

export const ReferenceField = ({ to, none, ...rest }: ReferenceProps) => {
  const { data = NONE } = useQuery({
    queryKey: ['custom-fields', 'options', to],
    queryFn: () => loadReferred(to),
  })
  const choices = data.map(({ id, name, note }): Choice => [id, name, note])
  return <ChoiceField {...rest} choices={none === undefined ? choices : [['', none], ...choices]} />
}

const toChoice = ({ id, name, addresses }: Device): Choice => [id, name, addresses[0]?.ip]

const MAX_FOUND = 20

type DeviceProps = Props & {
  /** Finds the devices that are offered for a text; by default those that contain it. */
  readonly find?: (text: string) => Promise<readonly Device[]>
  /** The key of their query. */
  readonly findKey?: string
}

const searchDevices = (text: string): Promise<readonly Device[]> =>
  text === '' ? api.devices.list({ limit: MAX_FOUND }) : api.devices.search({ q: text, limit: MAX_FOUND })

export const DeviceField = ({ find = searchDevices, findKey = '', none, value, ...rest }: DeviceProps) => {
  const { may } = usePermit()
  const [text, setText] = useState<string>()
  const wanted = useDeferredValue(text?.trim())
  const { data: found = NONE } = useQuery({
    queryKey: ['device', 'found', findKey, wanted],
    queryFn: () => find(wanted ?? ''),
    enabled: wanted !== undefined && may('devices:list'),
    placeholderData: (old) => old,
  })
  const { data: chosen } = useQuery({
    queryKey: ['device-name', value],
    queryFn: () => api.devices.get({ id: value }),
    enabled: value !== '' && may('devices:read'),
    retry: false,
  })
  const choices = found.map(toChoice)
  return (
    <ChoiceField
      {...rest}
      value={value}
      chosen={chosen?.name}
      choices={none === undefined ? choices : [['', none], ...choices]}
      onSearch={setText}
    />
  )
}
