// SPDX-License-Identifier: Apache-2.0

/// What messages call a value's type: the type of the value inside of optionals, and `nil` for none.
package enum TypeName {
  /// The name of the type of a value.
  package static func of(_ value: Any?) -> String {
    guard let value else { return "nil" }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .optional else { return "\(type(of: value))" }
    return of(mirror.children.first?.value)
  }
}
