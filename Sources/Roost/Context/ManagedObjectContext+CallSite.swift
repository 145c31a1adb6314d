// SPDX-License-Identifier: Apache-2.0

public import RoostObjects
public import RoostStore

extension ManagedObjectContext {
  /// The line of the program to which instruments attribute the requests of the context from now on, those of faults
  /// included. Nil, the default, for none. It may be set from any thread.
  ///
  /// ```swift
  /// context.callSite = .here()
  /// let orders = try context.fetch(request)  // a slow one is logged with this line
  /// ```
  /// `transaction`, `read` and `withBackgroundContext` of a container set it to the line of their call. Without an
  /// instrument it costs nothing.
  public final var callSite: CallSite? {
    get { requestCallSite }
    set { requestCallSite = newValue }
  }
}
