/** Says which object of the inventory an object of a source is. */
import { type SubmitEvent, useState } from 'react'
import { isResource } from '../../../../src/inventory/resources.ts'
import { getFieldErrors, toAppError } from '../../api/errors.ts'
import { ReferenceField } from '../../resource/form/reference-field.tsx'
import tableCss from '../../table/table.module.css'
import { Button } from '../../ui/button.tsx'
import { Alert } from '../../ui/field.tsx'
import { Dialog, DialogActions } from '../../ui/layers.tsx'
import { getResourceNoun } from '../labels.ts'
import type { Source } from '../queries.ts'
import type { SourceObject } from './queries.ts'
import { toKey, useLink } from './use-apply.ts'
import { toNote } from './words.ts'

type Props = { readonly source: Source; readonly object: SourceObject; readonly onClose: () => void }

export const LinkDialog = ({ source, object, onClose }: Props) => {
  const [chosen, setChosen] = useState(object.object_id ?? '')
  const link = useLink(source)
  const { resource } = object
  const noun = getResourceNoun(object.resource)
  const say = (object_id: string | null) => link.mutate({ objects: [toKey(object)], object_id }, { onSuccess: onClose })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    say(chosen)
  }
  const errors = getFieldErrors(link.error)
  const error = errors['objects[0].object_id']
  return (
    <Dialog title={`Which ${noun} is ${object.name}?`} onClose={onClose}>
      <form onSubmit={submit} className={tableCss.dialogForm} noValidate>
        {link.error && error === undefined && <Alert>{toAppError(link.error).message}</Alert>}
        {object.message !== '' && <p>{toNote(object.message)}</p>}
        <p className="muted">A link stays until you change it. Values that people have entered are kept.</p>
        {isResource(resource) && (
          <ReferenceField
            label={`${noun.charAt(0).toUpperCase()}${noun.slice(1)} in Plat`}
            to={resource}
            placeholder="Choose one"
            value={chosen}
            onChange={setChosen}
            error={error}
          />
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          {object.object_id !== null && (
            <Button onClick={() => say(null)} disabled={link.isPending}>
              Match again
            </Button>
          )}
          <Button onClick={() => say('')} disabled={link.isPending}>
            It is a new {noun}
          </Button>
          <Button type="submit" look="primary" disabled={chosen === '' || link.isPending}>
            Link
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
