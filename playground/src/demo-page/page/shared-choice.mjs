const SHARED = ['user', 'hirer'];

/**
 * Keeps user and hirer the same in every form, so that the next step begins with what was chosen in the one before.
 * A form whose choice has changed gets the event `choice`: results shown so far are those of another choice.
 * @param {HTMLFormElement[]} forms
 */
export function shareChoice(forms) {
  for (const form of forms) {
    form.addEventListener('change', ({ target }) => {
      const { name, value } = /** @type {HTMLInputElement} */ (target);
      const concerned = SHARED.includes(name) ? forms : [form];
      for (const one of concerned) {
        if (one !== form) choose(one, name, value);
        one.dispatchEvent(new Event('choice'));
      }
    });
  }
}

/** A value that a form does not offer leaves it as it is. */
function choose(form, name, value) {
  const field = form.elements.namedItem(name);
  const offered = field instanceof RadioNodeList ? [...field] : [...field.options];
  if (offered.some((option) => option.value === value)) field.value = value;
}
