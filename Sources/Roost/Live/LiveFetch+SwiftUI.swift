// SPDX-License-Identifier: Apache-2.0

// For SwiftUI, which exists on Apple's systems only; the package's tests do not run there.
#if canImport(SwiftUI)
import RoostModel
public import RoostObjects
public import RoostQuery
public import SwiftUI

private struct RoostContextKey: EnvironmentKey {
  static var defaultValue: ManagedObjectContext? { nil }
}

extension EnvironmentValues {
  /// The context whose objects the views below show: usually the container's view context.
  ///
  /// ```swift
  /// PeopleView().environment(\.roostContext, container.viewContext)
  /// ```
  public var roostContext: ManagedObjectContext? {
    get { self[RoostContextKey.self] }
    set { self[RoostContextKey.self] = newValue }
  }
}

/// The objects that match a request, kept up to date for a view: live results in the context of the environment.
///
/// ```swift
/// struct PeopleView: View {
///   @LiveFetch(Person.where { $0.age >= 18 }.sorted(by: \.name)) private var people
///
///   var body: some View {
///     List(people, id: \.objectID) { person in Text(person.name) }
///   }
/// }
/// ```
/// The view is redrawn when the results change, and, if it shows a property of one of them, when that changes. Before
/// the environment has a context, and after a failed fetch, there are no objects.
@MainActor @propertyWrapper public struct LiveFetch<Element: ManagedObject>: DynamicProperty {
  @Environment(\.roostContext) private var context
  @State private var holder = Holder()
  private let request: FetchRequest<Element>
  private let options: LiveOptions

  /// Keeps the results of one view.
  @MainActor private final class Holder {
    var results: LiveResults<Element>?
    var error: PersistenceError?
  }

  /// Declares the results that a view shows.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - options: Options of the live results.
  public init(_ request: FetchRequest<Element>, options: LiveOptions = LiveOptions()) {
    self.request = request
    self.options = options
  }

  /// The objects, in the order of the request.
  public var wrappedValue: [Element] { projectedValue?.elements ?? [] }

  /// The live results, with their sections and updates; nil while there are none.
  public var projectedValue: LiveResults<Element>? {
    guard let context else { return nil }
    if let known = holder.results, known.context === context { return known }
    do {
      let results = try context.live(request, options: options)
      (holder.results, holder.error) = (results, nil)
      return results
    } catch {
      (holder.results, holder.error) = (nil, .wrapping(error, .persistentStoreOperation))
      return nil
    }
  }

  /// The error of a failed fetch; nil while there are results.
  public var error: PersistenceError? {
    _ = projectedValue
    return holder.error
  }
}
#endif
