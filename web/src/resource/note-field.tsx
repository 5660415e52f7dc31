/** The reason of a change, one optional line of a form. */
import { TextField } from '../ui/field.tsx'

const MOST_CHARACTERS = 1000

export const NoteField = (props: { readonly value: string; readonly onChange: (value: string) => void }) => (
  <TextField label="Change note" hint="The reason, for the history" maxLength={MOST_CHARACTERS} {...props} />
)
