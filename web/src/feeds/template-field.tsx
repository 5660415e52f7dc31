/** The Liquid template of a feed. */

import fieldCss from '../ui/field.module.css'
import { Field } from '../ui/field.tsx'
import css from './feeds.module.css'

/** The template of a new feed. */
export const EXAMPLE = `name,address
{% for device in devices -%}
{{ device.name }},{{ device.main.ip }}
{% endfor -%}
`

const HINT =
  'Liquid, with devices, networks, datacenters and feed. A device has its main address as main, and its datacenter; an address has names and its network.'

type Props = {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
}

export const TemplateField = ({ value, onChange, error }: Props) => (
  <Field label="Template" hint={HINT} error={error} isRequired>
    {(wiring) => (
      <textarea
        {...wiring}
        className={`${fieldCss.control} ${css.template}`}
        spellCheck={false}
        autoCapitalize="off"
        wrap="off"
        placeholder={EXAMPLE}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    )}
  </Field>
)
