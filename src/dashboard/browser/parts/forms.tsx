// Forms, and what they make that is shown once.
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Fault } from '#dashboard/browser/fault.ts'
import { Button, Copyable, Dialog, FaultNotice } from '#dashboard/browser/parts/basics.tsx'
import { fieldOf, ruleIn } from '#dashboard/browser/parts/field-faults.ts'
import { useWords } from '#dashboard/browser/say.tsx'

/** What was refused in a form, where a field of the form is to blame. */
const Refused = createContext<Fault | null>(null)

type NotesProps = {
  readonly id: string
  /** The name that the API gives the field. */
  readonly name: string
  readonly hint?: string | undefined
  /** What else is wrong with it. */
  readonly error?: ComponentChildren
}

/** Returns what is said about a field, and the attributes of its input. */
function useNotes({ id, name, hint, error }: NotesProps) {
  const words = useWords()
  const fault = useContext(Refused)
  const isRefused = fault !== null && fieldOf(fault) === name
  const wrong = isRefused ? ruleIn(words, fault) : error
  const ids = [hint && `${id}-hint`, wrong && `${id}-error`].filter(Boolean)
  return {
    attributes: { 'aria-describedby': ids.join(' ') || undefined, 'aria-invalid': wrong ? true : undefined },
    notes: (
      <>
        {hint && (
          <p class="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
        {wrong && (
          <p class="wrong" id={`${id}-error`} role="alert">
            {wrong}
          </p>
        )}
      </>
    ),
  }
}

type FieldProps = {
  readonly label: string
  readonly name: string
  readonly hint?: string
  readonly value?: string | null
  readonly isRequired?: boolean
  readonly pattern?: string
  readonly maxLength?: number
  /** Which keyboard a phone shows. */
  readonly inputMode?: 'decimal' | 'email' | 'numeric' | 'url'
  readonly error?: ComponentChildren
}

export function Field({ label, name, hint, value, isRequired, error, ...rest }: FieldProps) {
  const id = useId()
  const { attributes, notes } = useNotes({ id, name, hint, error })
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        type="text"
        defaultValue={value ?? ''}
        required={isRequired}
        autocomplete="off"
        spellcheck={false}
        {...attributes}
        {...rest}
      />
      {notes}
    </div>
  )
}

/** A day, which may be left empty. */
export function DayField({ label, name, hint }: Pick<FieldProps, 'label' | 'name'> & { readonly hint: string }) {
  const id = useId()
  const { attributes, notes } = useNotes({ id, name, hint })
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} name={name} type="date" {...attributes} />
      {notes}
    </div>
  )
}

type TextFieldProps = Pick<FieldProps, 'label' | 'name' | 'hint' | 'value' | 'isRequired'>

/** As long as the service takes a text. */
const MAX_TEXT = 500

/** A text of several lines. */
export function TextField({ label, name, hint, value, isRequired }: TextFieldProps) {
  const id = useId()
  const { attributes, notes } = useNotes({ id, name, hint })
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        name={name}
        rows={3}
        maxLength={MAX_TEXT}
        required={isRequired}
        defaultValue={value ?? ''}
        {...attributes}
      />
      {notes}
    </div>
  )
}

type FileFieldProps = {
  readonly label: string
  /** The types of files that can be chosen. */
  readonly accept: string
  readonly hint: string
  onFile(file: File): Promise<void>
}

/** Lets a person choose a file, which is taken at once. */
export function FileField({ label, accept, hint, onFile }: FileFieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="file"
        accept={accept}
        aria-describedby={`${id}-hint`}
        onChange={({ currentTarget: { files } }) => {
          const file = files?.[0]
          if (file !== undefined) void onFile(file)
        }}
      />
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  )
}

const COLOR = '#[0-9a-fA-F]{6}'
/** That of our own pages, which is shown in place of none. */
const NO_COLOR = '#4c33c9'

/** A color as `#rrggbb`, written or picked. An empty field is none. */
export function ColorField({
  label,
  name,
  value,
  hint,
}: Pick<FieldProps, 'label' | 'name' | 'value'> & { hint: string }) {
  const id = useId()
  const { attributes, notes } = useNotes({ id, name, hint })
  const text = useRef<HTMLInputElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="color">
        <input
          type="color"
          ref={picker}
          defaultValue={value ?? NO_COLOR}
          aria-label={label}
          onInput={({ currentTarget }) => {
            if (text.current !== null) text.current.value = currentTarget.value
          }}
        />
        <input
          id={id}
          name={name}
          ref={text}
          type="text"
          dir="ltr"
          defaultValue={value ?? ''}
          pattern={COLOR}
          maxLength={7}
          autocomplete="off"
          spellcheck={false}
          {...attributes}
          onInput={({ currentTarget }) => {
            if (picker.current !== null && currentTarget.validity.valid)
              picker.current.value = currentTarget.value || NO_COLOR
          }}
        />
      </div>
      {notes}
    </div>
  )
}

type ChecksProps<Value extends string> = {
  readonly label: string
  readonly name: string
  readonly hint?: string
  readonly options: readonly { readonly value: Value; readonly label: ComponentChildren; readonly isChecked: boolean }[]
}

/** Things of which any number can be chosen. */
export function Checks<Value extends string>({ label, name, hint, options }: ChecksProps<Value>) {
  const id = useId()
  const { attributes, notes } = useNotes({ id, name, hint })
  return (
    <fieldset aria-describedby={attributes['aria-describedby']}>
      <legend>{label}</legend>
      {options.map(({ value, label: text, isChecked }) => (
        <label key={value} class="check">
          <input type="checkbox" name={name} value={value} defaultChecked={isChecked} />
          {text}
        </label>
      ))}
      {notes}
    </fieldset>
  )
}

type ChoiceProps<Value extends string> = {
  readonly label: string
  readonly name: string
  readonly options: readonly (readonly [value: Value, label: string])[]
  readonly value?: Value
}

export function Choice<Value extends string>({ label, name, options, value }: ChoiceProps<Value>) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name}>
        {options.map(([one, text]) => (
          <option key={one} value={one} selected={one === value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

export type Given = {
  /** Returns what was entered, without space around it; null when that is nothing. */
  text(name: string): string | null
  /** Returns the values that are checked. */
  all(name: string): readonly string[]
}

type FormProps = {
  readonly submit: string
  readonly isBusy: boolean
  readonly fault: Fault | null
  readonly children: ComponentChildren
  /** What it resolves to was saved, and the form says so; nothing was after a fault, and where the form is gone. */
  onSubmit(given: Given): Promise<unknown>
  /** Called whenever something is entered. */
  onEntered?(given: Given): void
  /** Leaves a form that is shown for a while. */
  onCancel?(): void
}

function givenIn(form: HTMLFormElement): Given {
  const entered = new FormData(form)
  const texts = (name: string) => entered.getAll(name).filter((value) => typeof value === 'string')
  return { text: (name) => texts(name)[0]?.trim() || null, all: texts }
}

/**
 * A form keeps what was entered until its change is made. A fault is shown next to the field that is to blame, and below all of
 * them where none is. The names of the fields are those of the API.
 */
export function Form({ submit, isBusy, fault, children, onSubmit, onEntered, onCancel }: FormProps) {
  const { say } = useWords()
  const form = useRef<HTMLFormElement>(null)
  const field = fault === null ? null : fieldOf(fault)
  const blamed = field === null ? null : (form.current?.querySelector<HTMLElement>(`[name=${field}]`) ?? null)
  useEffect(() => blamed?.focus(), [blamed, fault])
  const [isSaved, setSaved] = useState(false)
  return (
    <form
      ref={form}
      class="form"
      onInput={({ currentTarget }) => {
        setSaved(false)
        onEntered?.(givenIn(currentTarget))
      }}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) void onSubmit(givenIn(event.currentTarget)).then((saved) => setSaved(Boolean(saved)))
      }}
    >
      <Refused.Provider value={blamed === null ? null : fault}>{children}</Refused.Provider>
      <FaultNotice fault={blamed === null ? fault : null} />
      <div class="actions">
        <button
          type="submit"
          class="button primary"
          aria-busy={isBusy || undefined}
          aria-disabled={isBusy || undefined}
        >
          {submit}
        </button>
        {onCancel && <Button onPress={onCancel}>{say('cancel')}</Button>}
        <span class="hint" role="status">
          {isSaved && say('saved')}
        </span>
      </div>
    </form>
  )
}

type ShownOnceProps = { readonly title: string; readonly text: string; readonly secret: string; onClose(): void }

/** Shows a secret once: it cannot be read again. */
export function ShownOnce({ title, text, secret, onClose }: ShownOnceProps) {
  const { say } = useWords()
  return (
    <Dialog title={title} onClose={null}>
      <p>{text}</p>
      <p class="secret">
        <Copyable text={secret} />
      </p>
      <div class="actions">
        <Button kind="primary" onPress={onClose}>
          {say('kept')}
        </Button>
      </div>
    </Dialog>
  )
}

type ConfirmProps = {
  readonly label: string
  readonly question: string
  readonly isBusy: boolean
  readonly fault: Fault | null
  /** What there is to say of the fault. */
  readonly children?: ComponentChildren
  /** Resolves to null after a fault: then the dialog stays. */
  onConfirm(): Promise<unknown>
}

/** A button that asks before it does what cannot be taken back. */
export function Confirm({ label, question, isBusy, fault, children, onConfirm }: ConfirmProps) {
  const { say } = useWords()
  const [isAsked, setAsked] = useState(false)
  return (
    <>
      <Button onPress={() => setAsked(true)}>{label}</Button>
      {isAsked && (
        <Dialog title={question} onClose={() => setAsked(false)}>
          <FaultNotice fault={fault} />
          {children}
          <div class="actions">
            <Button onPress={() => setAsked(false)}>{say('back')}</Button>
            <Button
              kind="danger"
              isBusy={isBusy}
              onPress={() => void onConfirm().then((done) => done !== null && setAsked(false))}
            >
              {label}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  )
}
