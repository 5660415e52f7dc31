/** The issuer of an identity provider, which is checked when the field is left. */
import { useMutation } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { toAppError } from '../../api/errors.ts'
import type { ControlInput } from '../../resource/resource.ts'
import { TextField } from '../../ui/field.tsx'
import { plural } from '../../ui/format.ts'
import { Badge } from '../../ui/primitives.tsx'
import { hasPlaceholder } from './presets.ts'
import css from './providers.module.css'

type Checked = { readonly issuer: string; readonly allow_http: boolean }

export const IssuerField = ({ value, onChange, error, values }: ControlInput) => {
  const check = useMutation({ mutationFn: (wanted: Checked) => api.ssoProviders.check(wanted) })
  const issuer = value.trim()
  const isOfValue = check.variables?.issuer === issuer
  const leave = () => {
    if (issuer === '' || hasPlaceholder(issuer) || (isOfValue && !check.isError)) return
    check.mutate({ issuer, allow_http: values.allow_http === 'true' })
  }
  return (
    <div className={css.issuer}>
      <TextField
        label="Issuer"
        isMono
        required
        hint={
          hasPlaceholder(value)
            ? 'Replace the parts in braces.'
            : 'The address by which the provider names itself. It cannot change once a user has signed in.'
        }
        value={value}
        onChange={onChange}
        onBlur={leave}
        error={error}
      />
      {isOfValue && (check.data || check.error) && (
        <p role="status" className={css.tested}>
          <Badge tone={check.data ? 'ok' : 'bad'}>{check.data ? 'answers' : 'failed'}</Badge>
          {check.data
            ? `Names itself ${check.data.issuer}, with ${plural(check.data.keys, 'key')}.`
            : toAppError(check.error).message}
        </p>
      )}
    </div>
  )
}
