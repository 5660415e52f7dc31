/** The parts that the dialogs that document discovered devices have in common. */
import type { Device } from '../../api/contracts.ts'
import { CustomFields } from '../../custom-fields/known-custom.tsx'
import { parseCustomInput } from '../../custom-fields/known-text.ts'
import { devices } from '../../devices/window/device-list-client.ts'
import { ReferenceField } from '../../resource/form/reference-field.tsx'
import { TextField } from '../../ui/field.tsx'
import { useDiscoveryChanged } from '../scans/scan-actions.tsx'

export const parseTags = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')

export const useDocumented = () => {
  const changed = useDiscoveryChanged()
  return (made: readonly Device[]) => {
    devices.put(made)
    changed()
  }
}

type PlaceProps = {
  readonly datacenter: string
  readonly onDatacenter: (id: string) => void
  readonly tags: string
  readonly onTags: (text: string) => void
  readonly errors: Readonly<Record<string, string>>
}

export const PlaceFields = ({ datacenter, onDatacenter, tags, onTags, errors }: PlaceProps) => {
  return (
    <>
      <ReferenceField
        label="Datacenter"
        to="datacenters"
        none="None"
        value={datacenter}
        onChange={onDatacenter}
        error={errors.datacenter_id}
      />
      <TextField label="Tags" hint="With commas between them" value={tags} onChange={onTags} error={errors.tags} />
    </>
  )
}

/** The values of custom fields of devices and of their addresses, as texts. */
type CustomTexts = { readonly custom: string; readonly address_custom: string }

export const NO_TEXTS: CustomTexts = { custom: '', address_custom: '' }

export const parseCustomInputs = (texts: CustomTexts) => {
  const [custom, address_custom] = [parseCustomInput(texts.custom), parseCustomInput(texts.address_custom)]
  return { ...(custom && { custom }), ...(address_custom && { address_custom }) }
}

export const isOfCustom = (field: string): boolean => /^(address_)?custom\./.test(field)

type CustomProps = {
  readonly texts: CustomTexts
  readonly onChange: (texts: CustomTexts) => void
  readonly errors: Readonly<Record<string, string>>
  readonly isMany: boolean
  readonly hasManyAddresses: boolean
}

export const CustomParts = ({ texts, onChange, errors, isMany, hasManyAddresses }: CustomProps) => (
  <>
    <CustomFields
      resource="devices"
      value={texts.custom}
      onChange={(custom) => onChange({ ...texts, custom })}
      errors={errors}
      isNew
      isShared={isMany}
    />
    <CustomFields
      resource="addresses"
      at="address_custom"
      title={hasManyAddresses ? 'Of each address' : 'Of its address'}
      value={texts.address_custom}
      onChange={(address_custom) => onChange({ ...texts, address_custom })}
      errors={errors}
      isNew
      isShared={hasManyAddresses}
    />
  </>
)
